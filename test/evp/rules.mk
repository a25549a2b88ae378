# SPDX-License-Identifier: Apache-2.0
# The evp layer: one program, linked with libcrypto.

EVP_SRC := $(wildcard test/evp/*.c)
EVP_OBJ := $(EVP_SRC:%.c=$(B)/%.o)
EVP_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(WERROR) -MMD -MP $(OPENSSL_CFLAGS)

# getrandom: the program's own is to be what the module calls (sides.c).
$(B)/test/evp/evp: $(EVP_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(EVP_CFLAGS) $(LDFLAGS) -Wl,--export-dynamic-symbol=getrandom -o $@ $(EVP_OBJ) \
		$(OPENSSL_LIBS) -ldl

$(EVP_OBJ): $(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(EVP_CFLAGS) -c -o $@ $<

TEST_PROGRAMS += $(B)/test/evp/evp
-include $(EVP_OBJ:.o=.d)
