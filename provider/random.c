/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's random generator, by system call.
 *
 * OpenSSL hands a provider no function for random bytes, and calling back into
 * its RAND would recurse where RAND itself runs on this module's AES. The
 * system call needs no file descriptor and no memory, survives fork, and is
 * among those that sandboxes (OpenSSH's, for one) allow.
 */
#include "random.h"

#include <errno.h>
#include <sys/random.h>

bool ctaes_random(uint8_t *out, size_t len)
{
    while (len > 0) {
        ssize_t got = getrandom(out, len, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return false;
        }
        out += got;
        len -= (size_t)got;
    }
    return true;
}
