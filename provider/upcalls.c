/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the functions that the module needs out of libcrypto's table. */
#include "provctx.h"

bool ctaes_find_upcalls(struct ctaes_upcalls *up, const OSSL_DISPATCH *in)
{
    *up = (struct ctaes_upcalls){0};
    for (; in->function_id != 0; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS:
            up->get_params = OSSL_FUNC_core_get_params(in);
            break;
        case OSSL_FUNC_CORE_NEW_ERROR:
            up->new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            up->set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            up->vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        case OSSL_FUNC_CRYPTO_MALLOC:
            up->malloc = OSSL_FUNC_CRYPTO_malloc(in);
            break;
        case OSSL_FUNC_CRYPTO_FREE:
            up->free = OSSL_FUNC_CRYPTO_free(in);
            break;
        case OSSL_FUNC_CRYPTO_SECURE_MALLOC:
            up->secure_malloc = OSSL_FUNC_CRYPTO_secure_malloc(in);
            break;
        case OSSL_FUNC_CRYPTO_SECURE_FREE:
            up->secure_free = OSSL_FUNC_CRYPTO_secure_free(in);
            break;
        case OSSL_FUNC_CRYPTO_SECURE_ALLOCATED:
            up->secure_allocated = OSSL_FUNC_CRYPTO_secure_allocated(in);
            break;
        default:
            break;
        }
    }
    return up->get_params != NULL && up->new_error != NULL && up->set_error_debug != NULL &&
           up->vset_error != NULL && up->malloc != NULL && up->free != NULL;
}
