/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A branch on a secret, on purpose: the only one in the module. It stands in a
 * function of its own, never inlined, so that a tool that looks for such
 * branches can be told of just this one. The result goes through a volatile
 * variable; otherwise a compiler would compute it from the mask without a
 * branch, and the branch on the secret would be the caller's.
 */
#include "declassify.h"

__attribute__((noinline)) bool ctaes_declassify(uint32_t mask)
{
    volatile bool verdict = false;
    if (mask != 0)
        verdict = true;
    return verdict;
}
