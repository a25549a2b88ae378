# SPDX-License-Identifier: Apache-2.0
# The cli layer: a provider that stands in for the default one.

OPENSSL_LIBS ?= $(shell pkg-config --libs libcrypto 2>/dev/null || echo -lcrypto)

$(B)/test/cli/rest.so: test/cli/rest.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 $(CFLAGS) $(WARNINGS) $(WERROR) -fPIC -shared $(OPENSSL_CFLAGS) $(LDFLAGS) \
		-o $@ $< $(OPENSSL_LIBS)

TEST_PROGRAMS += $(B)/test/cli/rest.so
