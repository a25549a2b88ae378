/* SPDX-License-Identifier: Apache-2.0 */
/* AES-WRAP. */
#include "wrap.h"

WRAP_ROW(wrap, run_wrap, false, 16, 8, 8, 8);
