# SPDX-License-Identifier: Apache-2.0
# The faults layer: one program, linked with libcrypto.

FAULTS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard test/faults/*.c))
FAULTS_CFLAGS = -std=c11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) $(WERROR) -MMD -MP $(OPENSSL_CFLAGS)

# getrandom: the program's own is to be what the module calls (chance.c).
$(B)/test/faults/faults: $(FAULTS_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(FAULTS_CFLAGS) $(LDFLAGS) -Wl,--export-dynamic-symbol=getrandom -o $@ $(FAULTS_OBJ) \
		$(OPENSSL_LIBS) -lpthread

$(FAULTS_OBJ): $(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(FAULTS_CFLAGS) -c -o $@ $<

TEST_PROGRAMS += $(B)/test/faults/faults
-include $(FAULTS_OBJ:.o=.d)
