/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider context: all that one activated instance of the module knows.
 *
 * There is no other state in the module. One mapped .so may serve several
 * libcryptos, library contexts and instances in one process, each with its own
 * upcalls and its own core; a static variable would mix them up.
 */
#ifndef CTAES_PROVCTX_H
#define CTAES_PROVCTX_H

#include "../cores/core.h"
#include "../cores/registers.h"
#include "ciphers.h"
#include "macs.h"

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <stdbool.h>

#define CTAES_VERSION "0.1.0"

#define CTAES_NSKEYMGMTS 2 /* kinds of opaque keys: skeymgmt.c */

/* The functions of the host's libcrypto that the module calls. */
struct ctaes_upcalls {
    OSSL_FUNC_core_get_params_fn *get_params;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_CRYPTO_malloc_fn *malloc;
    OSSL_FUNC_CRYPTO_free_fn *free;

    /* The secure heap's; NULL where the host has none to hand. Only memory.c calls these. */
    OSSL_FUNC_CRYPTO_secure_malloc_fn *secure_malloc;
    OSSL_FUNC_CRYPTO_secure_free_fn *secure_free;
    OSSL_FUNC_CRYPTO_secure_allocated_fn *secure_allocated;
};

struct ctaes_provctx {
    const OSSL_CORE_HANDLE *handle;
    struct ctaes_upcalls up;
    const struct ctaes_core *core;
    enum ctaes_registers registers; /* to clear: see CTAES_CLEARS_REGISTERS */

    /* Whether what holds secrets must lie in the host's secure heap. */
    bool secure_memory;

    /* Whether the host reports a tag that doesn't match on the error queue:
       OpenSSL 4.1 and newer do, older ones fail without an entry, and their
       callers count on that. */
    bool raises_on_bad_tag;

    /* Whether to report a lack of memory: the malloc of OpenSSL 3.2 and newer does it itself. */
    bool raises_no_memory;

    /* Whether the host is OpenSSL 4.0 or newer: it raises where a tag to compare with is
       missing, and draws a GCM context's IV as soon as it is asked for. */
    bool host_is_4;

    /* The better cores that `auto` didn't choose, and why. */
    char passed_over[1280];

    /* For people: the core, what was passed over, and the compiler. */
    char build_info[1536];

    /* The property definition of all algorithms, and the table that OpenSSL
       asks for, which points to it. */
    char properties[48];
    OSSL_ALGORITHM ciphers[CTAES_NCIPHERS + 1];
    OSSL_ALGORITHM skeymgmts[CTAES_NSKEYMGMTS + 1];

    /* Empty if the configuration leaves them to another provider. */
    OSSL_ALGORITHM macs[CTAES_NMACS + 1];
};

static inline void ctaes_clear_registers(const struct ctaes_provctx *const *prov)
{
    if (*prov != NULL)
        clear_registers((*prov)->registers);
}

/* At the top of a function that libcrypto calls and that touches secrets: whichever way it
   returns, no vector register holds one any more. prov is NULL where it touches none this time.
   (The attribute is gcc's and clang's.) */
#define CTAES_CLEARS_REGISTERS(prov)                                                               \
    __attribute__((cleanup(ctaes_clear_registers), unused))                                        \
    const struct ctaes_provctx *const clears_registers = (prov)

/* Finds the upcalls in the dispatch table that libcrypto handed over. Returns
   false if one of them is missing, but for those of the secure heap. */
bool ctaes_find_upcalls(struct ctaes_upcalls *up, const OSSL_DISPATCH *in);

/* Chooses prov->core and writes prov->passed_over. Returns false, having raised,
   if there is no core to be had or not the one that was asked for. */
bool ctaes_choose_core(struct ctaes_provctx *prov);

#endif
