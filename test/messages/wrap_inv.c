/* SPDX-License-Identifier: Apache-2.0 */
/* AES-WRAP-INV. */
#include "wrap.h"

WRAP_ROW(wrap_inv, run_wrap, true, 16, 8, 8, 8);
