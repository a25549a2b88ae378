/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for what holds secrets.
 *
 * The secure heap is one mapping of the process's, which CRYPTO_secure_malloc_init
 * makes: locked, so that it isn't swapped out, left out of core dumps, and with
 * a guard page on either side. A program that never called it gets ordinary
 * memory from CRYPTO_secure_malloc, without a word. Whoever asked for the secure
 * heap must not be given that, so each allocation is looked at:
 *
 *   secure_malloc ──▶ NULL ───────────────────▶ error: exhausted
 *               └───▶ p ── secure_allocated(p)? ── yes ──▶ p
 *                                               └─ no ───▶ freed, error: no secure heap
 */
#include "memory.h"

#include "err.h"
#include "../cores/ct.h"

static void *get_secure(const struct ctaes_provctx *prov, size_t size)
{
    void *p = prov->up.secure_malloc(size, __FILE__, __LINE__);
    if (p == NULL) {
        CTAES_RAISE_OWN(prov, CTAES_R_SECURE_HEAP_EXHAUSTED,
                        "secure_memory is set in the provider's section of the configuration, and "
                        "OpenSSL's secure heap has no block of %zu bytes left; the program chose "
                        "its size (CRYPTO_secure_malloc_init)",
                        size);
        return NULL;
    }
    if (!prov->up.secure_allocated(p)) {
        prov->up.secure_free(p, __FILE__, __LINE__);
        CTAES_RAISE_OWN(prov, CTAES_R_NO_SECURE_HEAP,
                        "secure_memory is set in the provider's section of the configuration, and "
                        "this program has not set up OpenSSL's secure heap "
                        "(CRYPTO_secure_malloc_init)");
        return NULL;
    }
    return p;
}

void *ctaes_get_memory(const struct ctaes_provctx *prov, size_t size)
{
    return prov->secure_memory ? get_secure(prov, size) : CTAES_MALLOC(prov, size);
}

/* libcrypto's malloc aligns to 16 at best. Its secure heap has blocks of powers of two, aligned to
   their size; it promises that nowhere, but where it is so, a kilobyte does for many a context and
   not two. */
void *ctaes_get_aligned(const struct ctaes_provctx *prov, size_t size, size_t *offset)
{
    if (prov->secure_memory) {
        void *exact = get_secure(prov, size);
        *offset = 0;
        if (exact == NULL || (uintptr_t)exact % CTAES_ALIGN == 0)
            return exact;
        prov->up.secure_free(exact, __FILE__, __LINE__);
    }
    uint8_t *start = ctaes_get_memory(prov, size + CTAES_ALIGN - 1);
    if (start == NULL)
        return NULL;
    *offset = (0 - (uintptr_t)start) & (CTAES_ALIGN - 1);
    return start + *offset;
}

/* libcrypto's own clear_free wipes 8 bytes at a time, which takes up to a third of the time of a
   context's whole life. */
void ctaes_free_memory(const struct ctaes_provctx *prov, void *start, size_t size)
{
    ct_wipe(start, size);
    (prov->secure_memory ? prov->up.secure_free : prov->up.free)(start, __FILE__, __LINE__);
}
