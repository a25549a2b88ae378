# SPDX-License-Identifier: Apache-2.0
# The harnesses of the constant-time check. `core` links the module's own objects, `evp` loads the
# module through libcrypto, `records` calls its functions; what is in leaky/ are the controls.

CT := $(B)/test/ct
CT_PROGRAMS := $(addprefix $(CT)/,core common evp records leaky/common leaky/ctaes.so)

.PHONY: test-ct
test-ct:

# CT_DETECTOR_FLAGS: test/msan/rules.mk, for builds with MemorySanitizer, and empty in all others.
$(CT)/core: $(CT)/core.o $(CT)/controls.o $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(CT_DETECTOR_FLAGS) -o $@ $^

$(CT)/common $(CT)/leaky/common: %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(CT_DETECTOR_FLAGS) -o $@ $^

$(CT)/evp $(CT)/records: %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcrypto

# Statically, and at its own addresses: what objdump shows is all that it executes, and where.
# clang takes -static for -no-pie, too, and warns of that.
CT_GCC := $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),,gcc)
CT_STEP := $(filter x86_64%,$(MACHINE))
CT_PROGRAMS += $(if $(CT_STEP),$(CT)/trace $(CT)/leftovers)

$(CT)/trace: $(addprefix $(CT)/,trace.o step.o controls.o) $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static $(if $(CT_GCC),-no-pie) -o $@ $^

# Bound at once: the dynamic linker would save registers on the stack at the first call of a function.
$(CT)/leftovers: $(CT)/leftovers.o $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,-z,now -o $@ $^ -lcrypto

# The leaky module: the glue with leaky.h in place of ct.h's functions, and the leaky core beside the
# real ones.
CT_LEAKY_GLUE := $(PROVIDER_SRC:%.c=$(CT)/leaky/%.o)

$(CT)/leaky/ctaes.so: $(CT_LEAKY_GLUE) $(CT)/leaky/cores.o $(CT)/controls.o \
		$(filter-out $(B)/cores/cores.o,$(PORTABLE_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^

# leaky.h includes headers of libc before the source can say what it wants of them.
$(CT)/leaky/common.o $(CT_LEAKY_GLUE): override CPPFLAGS += -D_GNU_SOURCE= -include test/ct/leaky.h
$(CT)/leaky/cores.o: override CPPFLAGS += -D'CTAES_CORE_LIST(X)=$(CORE_LIST) X(leaky)'

$(CT)/leaky/common.o: test/ct/common.c $(B)/flags test/ct/rules.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(CT)/leaky/cores.o: cores/cores.c $(B)/flags test/ct/rules.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(CT_LEAKY_GLUE): $(CT)/leaky/%.o: %.c $(B)/flags test/ct/rules.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

test-ct: $(B)/ctaes.so $(CT_PROGRAMS)

-include $(wildcard $(CT)/*.d $(CT)/leaky/*.d $(CT)/leaky/provider/*.d)
