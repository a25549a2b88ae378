# SPDX-License-Identifier: Apache-2.0
# The harnesses of the constant-time check. `core` links the module's own objects, `evp` loads the
# module through libcrypto, `records` calls its functions; what is in leaky/ are the controls.

CT := $(B)/test/ct
# What runs under valgrind, which is all that a cell of the matrix needs.
CT_PROGRAMS := $(addprefix $(CT)/,core common evp records leaky/common leaky/ctaes.so unmarking/ctaes.so)

.PHONY: test-ct test-ct-cell check-ct check-ct-traces ct-report
test-ct:
test-ct-cell: $(B)/ctaes.so $(CT_PROGRAMS)

# The compilers of the matrix, by Debian's names: Debian 12's own, and the oldest and the newest that
# it has beside them. It has no gcc newer than 12. What can't be installed is skipped by name.
CT_COMPILERS ?= gcc-11 gcc-12 clang-13 clang-14 clang-22

check-ct: deps-check ## constant time with all compilers at all levels, and the default provider's
	@for c in $(CT_COMPILERS); do command -v $$c > /dev/null || { $(call install_packages,$$c); } || true; done
	@$(MAKE) --no-print-directory test-ct $(CT)/rival
	@B='$(B)' CC='$(CC)' CORES='$(CORES)' CT_COMPILERS='$(CT_COMPILERS)' $(PYTHON) test/ct/matrix run

check-ct-traces: deps-check ## constant time of the build in B, with traces of all lengths
	@$(MAKE) --no-print-directory test-ct
	@B='$(B)' CC='$(CC)' CT_COMPILERS= CT_TRACES=all $(PYTHON) test/ct/run traces

ct-report: ## the table of the last `make check-ct`, into docs/constant-time.md
	@B='$(B)' $(PYTHON) test/ct/matrix report

# CT_DETECTOR_FLAGS: test/msan/rules.mk, for builds with MemorySanitizer, and empty in all others.
$(CT)/core: $(CT)/core.o $(CT)/controls.o $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(CT_DETECTOR_FLAGS) -o $@ $^

$(CT)/common $(CT)/leaky/common: %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(CT_DETECTOR_FLAGS) -o $@ $^

$(CT)/evp $(CT)/records $(CT)/rival: %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcrypto

# Statically, and at its own addresses: what objdump shows is all that it executes, and where.
# clang takes -static for -no-pie, too, and warns of that.
CT_GCC := $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),,gcc)
CT_STEP := $(filter x86_64%,$(MACHINE))
# The same for `jumps`, `core` without valgrind: both have a map that says which object is where.
CT_NATIVE := $(if $(CT_STEP),$(addprefix $(CT)/,trace trace_evp jumps leftovers))
CT_FIXED = $(if $(CT_GCC),-no-pie) -Wl,-Map=$@.map

$(CT)/jumps: $(addprefix $(CT)/,jumps.o jumps_core.o controls.o) $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static $(CT_FIXED) -o $@ $^

$(CT)/jumps_core.o: override CPPFLAGS += -DCT_WITHOUT_VALGRIND
$(CT)/jumps_core.o: test/ct/core.c $(B)/flags test/ct/rules.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(CT)/trace: $(addprefix $(CT)/,trace.o traces.o step.o controls.o) $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static $(CT_FIXED) -o $@ $^

$(CT)/trace_evp: $(addprefix $(CT)/,trace_evp.o traces.o step.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcrypto -ldl

# Bound at once: the dynamic linker would save registers on the stack at the first call of a function.
$(CT)/leftovers: $(CT)/leftovers.o $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,-z,now -o $@ $^ -lcrypto

# The leaky module: the glue with leaky.h in place of ct.h's functions, and the leaky and the unmarking
# core beside the real ones.
CT_LEAKY_GLUE := $(PROVIDER_SRC:%.c=$(CT)/leaky/%.o)

$(CT)/leaky/ctaes.so: $(CT_LEAKY_GLUE) $(CT)/leaky/cores.o $(CT)/controls.o \
		$(filter-out $(B)/cores/cores.o,$(PORTABLE_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^

# The module with good glue, in which the unmarking core can be chosen.
$(CT)/unmarking/ctaes.so: $(PROVIDER_SRC:%.c=$(B)/%.o) $(CT)/leaky/cores.o $(CT)/controls.o \
		$(filter-out $(B)/cores/cores.o,$(PORTABLE_OBJ))
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^

# leaky.h includes headers of libc before the source can say what it wants of them.
$(CT)/leaky/common.o $(CT_LEAKY_GLUE): override CPPFLAGS += -D_GNU_SOURCE= -include test/ct/leaky.h
$(CT)/leaky/cores.o: override CPPFLAGS += -D'CTAES_CORE_LIST(X)=$(CORE_LIST) X(leaky) X(unmarking)'

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

test-ct: $(B)/ctaes.so $(CT_PROGRAMS) $(CT_NATIVE)

-include $(wildcard $(CT)/*.d $(CT)/leaky/*.d $(CT)/leaky/provider/*.d)
