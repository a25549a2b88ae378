# SPDX-License-Identifier: Apache-2.0
# check-scale: one program, linked with libcrypto.

SCALE_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(WERROR) -MMD -MP $(OPENSSL_CFLAGS)

$(B)/test/scale/scale: $(B)/test/scale/scale.o
	$(call say,LD,$@)
	$(Q)$(CC) $(SCALE_CFLAGS) $(LDFLAGS) -o $@ $< $(OPENSSL_LIBS) -lpthread

$(B)/test/scale/scale.o: test/scale/scale.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(SCALE_CFLAGS) -c -o $@ $<

-include $(B)/test/scale/scale.d
