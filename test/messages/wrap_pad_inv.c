/* SPDX-License-Identifier: Apache-2.0 */
/* AES-WRAP-PAD-INV. */
#include "wrap.h"

WRAP_ROW(wrap_pad_inv, run_wrap_pad, true, 1, 1, 15, 4);
