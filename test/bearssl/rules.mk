# SPDX-License-Identifier: Apache-2.0
#
# bench-portable: the portable cores against BearSSL (Debian: libbearssl-dev).
#
# Debian builds BearSSL for size (-Os). To compare with another build of it:
#   make bench-portable BEARSSL_CFLAGS="-isystem <bearssl>/inc" BEARSSL_LIBS=<bearssl>/build/libbearssl.a
# BENCH_CPU is the CPU to run on.

BEARSSL_CFLAGS ?= -isystem /usr/include/bearssl
BEARSSL_LIBS ?= -lbearssl
BENCH_CPU ?= 0

BEARSSL_BENCH := $(B)/test/bearssl/portable
BEARSSL_OBJ := $(B)/cores/ct32.o $(B)/cores/ct64.o $(MODE_SRC:%.c=$(B)/%.o)

$(BEARSSL_BENCH): test/bearssl/portable.c $(BEARSSL_OBJ)
	@mkdir -p $(@D)
	@echo '#include <bearssl_block.h>' | $(CC) $(BEARSSL_CFLAGS) -x c -E -o /dev/null - 2>/dev/null || { \
		echo 'bench-portable needs BearSSL: install libbearssl-dev, or give BEARSSL_CFLAGS and BEARSSL_LIBS' >&2; exit 1; }
	$(CC) $(ALL_CFLAGS) $(BEARSSL_CFLAGS) -o $@ $< $(BEARSSL_OBJ) $(BEARSSL_LIBS) $(LDFLAGS)

.PHONY: bench-portable
bench-portable: $(BEARSSL_BENCH) ## the portable cores' speed against BearSSL's
	@taskset -c $(BENCH_CPU) $(BEARSSL_BENCH)
