/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the modes with an interface of their own: see messages.h. */
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of the files beside this one; rules.mk lists them. */
#define X(name) extern const struct message_mode message_mode_##name;
MESSAGE_LIST(X)
#undef X

#define X(name) &message_mode_##name,
const struct message_mode *const message_modes[] = {MESSAGE_LIST(X) NULL};
#undef X

const struct message_mode *message_mode_of(const struct ctaes_mode *mode)
{
    for (size_t i = 0; message_modes[i] != NULL; i++)
        if (message_modes[i]->mode == mode)
            return message_modes[i];
    return NULL;
}

static void reveal_nothing(void *p, size_t len)
{
    (void)p;
    (void)len;
}

void (*message_reveal)(void *p, size_t len) = reveal_nothing;

void *message_key_memory(size_t size)
{
    size_t rounded = (size + CTAES_ALIGN - 1) / CTAES_ALIGN * CTAES_ALIGN;
    void *p = aligned_alloc(CTAES_ALIGN, rounded);
    if (p == NULL) {
        perror("aligned_alloc");
        exit(2);
    }
    memset(p, 0, rounded);
    return p;
}
