# SPDX-License-Identifier: Apache-2.0
# check-scale: one program, linked with libcrypto.

SCALE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard test/scale/*.c))
SCALE_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(WERROR) -MMD -MP $(OPENSSL_CFLAGS)

$(B)/test/scale/scale: $(SCALE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(SCALE_CFLAGS) $(LDFLAGS) -o $@ $(SCALE_OBJ) $(OPENSSL_LIBS) -lpthread

$(SCALE_OBJ): $(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(SCALE_CFLAGS) -c -o $@ $<

-include $(SCALE_OBJ:.o=.d)
