# SPDX-License-Identifier: Apache-2.0
# What test/msan/run builds, in a folder of its own, by clang with -fsanitize=memory in CFLAGS and
# LDFLAGS: harnesses of the constant-time check, and the unit tests.

MSAN := $(B)/test/msan

.PHONY: check-msan test-msan
check-msan: deps-check ## run cores, modes and unit tests under clang's MemorySanitizer
	@B='$(B)' test/msan/run

# The harnesses link warnings.o, which takes the place of the runtime's functions.
CT_COMMA := ,
ifneq ($(findstring -fsanitize=memory,$(CFLAGS)),)
CT_DETECTOR := $(MSAN)/warnings.o
CT_DETECTOR_FLAGS := $(addprefix -Wl$(CT_COMMA)--wrap=__msan_,warning_with_origin maybe_warning_1 \
	maybe_warning_2 maybe_warning_4 maybe_warning_8)
endif

$(addprefix $(B)/test/ct/,core common leaky/common): $(CT_DETECTOR)

$(MSAN)/uninitialised: $(MSAN)/uninitialised.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

test-msan: $(addprefix $(B)/test/ct/,core common leaky/common) $(MSAN)/uninitialised $(B)/test/unit/unit

-include $(wildcard $(MSAN)/*.d)
