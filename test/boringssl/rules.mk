# SPDX-License-Identifier: Apache-2.0
#
# bench-boringssl: the vector-permute cores against BoringSSL's (Debian: android-libboringssl).
# BORINGSSL is its libcrypto, BENCH_CPU the CPU to run on.

BORINGSSL ?= $(firstword $(wildcard /usr/lib/*/android/libcrypto.so.0))

$(B)/test/boringssl/vperm: $(B)/test/boringssl/vperm.o $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -ldl

.PHONY: bench-boringssl
bench-boringssl: $(B)/test/boringssl/vperm ## the vector-permute cores' speed against BoringSSL's
	@test -n '$(BORINGSSL)' || { echo 'bench-boringssl needs BoringSSL: install android-libboringssl, or give BORINGSSL' >&2; exit 1; }
	@OPENSSL_ia32cap='~0x200000200000000:~0x60000000000' taskset -c $(BENCH_CPU) $< $(BORINGSSL)

-include $(B)/test/boringssl/vperm.d
