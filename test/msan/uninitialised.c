/* SPDX-License-Identifier: Apache-2.0 */
/* Branches on memory that was never written: MemorySanitizer must end this program. */
#include <stdio.h>
#include <stdlib.h>

/* Apart, so that other tools don't see it. */
__attribute__((noinline)) static void look_at(volatile unsigned char *p)
{
    for (unsigned n = p[7]; n > 0; n--)
        putchar('x');
    putchar('\n');
}

int main(void)
{
    unsigned char *never_written = malloc(16);
    if (never_written == NULL)
        return 2;
    look_at(never_written);
    free(never_written);
    return 0;
}
