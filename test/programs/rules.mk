# SPDX-License-Identifier: Apache-2.0
# `make check-programs`: the one program that isn't Debian's.

$(B)/test/programs/lives: test/programs/lives.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) $(WERROR) $(OPENSSL_CFLAGS) $(LDFLAGS) -o $@ $< \
		$(OPENSSL_LIBS) -lpthread

TEST_PROGRAMS += $(B)/test/programs/lives
