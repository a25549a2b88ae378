# SPDX-License-Identifier: Apache-2.0
# The library layer: programs that know libctaes.a by its public header, and what the unit tests have
# of vectors and of the reference.

LIBRARY_TEST := $(B)/test/library
LIBRARY_TEST_OBJ := $(patsubst %,$(LIBRARY_TEST)/%.o,api algorithms calls keys)
LIBRARY_UNIT_OBJ := $(patsubst %,$(B)/test/unit/%.o,vectors reference)

$(LIBRARY_TEST)/api: $(LIBRARY_TEST_OBJ) $(LIBRARY_UNIT_OBJ) $(B)/libctaes.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(LIBRARY_TEST)/secrets: $(LIBRARY_TEST)/secrets.o $(LIBRARY_TEST)/algorithms.o $(B)/libctaes.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

TEST_PROGRAMS += $(LIBRARY_TEST)/api $(LIBRARY_TEST)/secrets
-include $(wildcard $(LIBRARY_TEST)/*.d)
