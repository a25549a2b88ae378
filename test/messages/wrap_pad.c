/* SPDX-License-Identifier: Apache-2.0 */
/* AES-WRAP-PAD. */
#include "wrap.h"

WRAP_ROW(wrap_pad, run_wrap_pad, false, 1, 1, 15, 4);
