/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for what holds secrets: contexts and opaque keys. It comes from the
 * host, out of its ordinary heap or, where the configuration says
 * secure_memory = yes, out of its secure one.
 */
#ifndef CTAES_MEMORY_H
#define CTAES_MEMORY_H

#include "provctx.h"

/* Allocates size bytes, not initialised. NULL, having raised, if there are none. */
void *ctaes_get_memory(const struct ctaes_provctx *prov, size_t size);

/* The same, aligned to CTAES_ALIGN; *offset says how far into the allocation the bytes start. */
void *ctaes_get_aligned(const struct ctaes_provctx *prov, size_t size, size_t *offset);

/* Wipes size bytes from the start of an allocation, and frees it. */
void ctaes_free_memory(const struct ctaes_provctx *prov, void *start, size_t size);

#endif
