/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of batches, for the vectors that the including file has defined. */
#ifndef CTAES_X86_BATCH_H
#define CTAES_X86_BATCH_H

enum {
    VEC_BYTES = 16 * VEC_BLOCKS,
    VECS = 8, /* vectors in a batch, the largest group */
    BATCH_BLOCKS = VECS * VEC_BLOCKS,
    BATCH_BYTES = VECS * VEC_BYTES,
    HALF_BYTES = BATCH_BYTES / 2 /* and LAST_GROUP has a case for each vector of them */
};

#endif
