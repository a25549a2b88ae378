# SPDX-License-Identifier: Apache-2.0
# The fuzzer, and the tool that replays its corpus. Both are the evp layer's objects without its main.

FUZZ_SRC := $(wildcard test/fuzz/*.c)
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(B)/%.o)
FUZZ_COMMON_OBJ := $(filter-out $(B)/test/fuzz/fuzz.o $(B)/test/fuzz/tool.o,$(FUZZ_OBJ)) \
	$(filter-out $(B)/test/evp/main.o,$(EVP_OBJ))

$(FUZZ_OBJ): $(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(EVP_CFLAGS) -c -o $@ $<

$(B)/test/fuzz/fuzz-tool: $(B)/test/fuzz/tool.o $(FUZZ_COMMON_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(EVP_CFLAGS) $(LDFLAGS) -Wl,--export-dynamic-symbol=getrandom -o $@ $^ $(OPENSSL_LIBS) -ldl

# The module's code has libFuzzer's counters in a build with FUZZ=1, and the programs give it what
# they call: libFuzzer alone, without its interceptors of strcmp and the like, which would slow the
# harness down.
ifneq ($(FUZZ),)
FUZZ_RUNTIME = $(shell $(CC) -print-resource-dir)/lib/linux/libclang_rt.fuzzer$(1)-$(firstword \
	$(subst -, ,$(MACHINE))).a
FUZZ_LIBS = -rdynamic -Wl,--whole-archive $(call FUZZ_RUNTIME,$(1)) -Wl,--no-whole-archive \
	-lstdc++ -lm -lpthread
$(MODULE_OBJ): override CFLAGS += -fsanitize-coverage=inline-8bit-counters,pc-table -Wno-pass-failed
$(B)/ctaes.so: override LDFLAGS += -Wl,-z,undefs
# On these clang takes a quarter of an hour for the undefined behaviour sanitizer and the scopes.
ifneq ($(findstring -fsanitize=address,$(CFLAGS)),)
$(B)/cores/vaes256.o $(B)/cores/vaes512.o: override CFLAGS += -fno-sanitize=undefined \
	-fno-sanitize-address-use-after-scope
endif
$(B)/test/fuzz/fuzz-tool: override OPENSSL_LIBS += $(call FUZZ_LIBS,_no_main)
$(B)/test/fuzz/fuzz: $(B)/test/fuzz/fuzz.o $(FUZZ_COMMON_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(EVP_CFLAGS) $(LDFLAGS) -o $@ $^ $(OPENSSL_LIBS) -ldl $(FUZZ_LIBS)
endif

# A build with COVERAGE=1 counts what is executed.
ifneq ($(COVERAGE),)
$(MODULE_OBJ): override CFLAGS += -fprofile-instr-generate -fcoverage-mapping -Wno-pass-failed
$(B)/ctaes.so: override LDFLAGS += -fprofile-instr-generate
endif

# --- Targets, which build in folders of their own ---------------------------------------------------
# FUZZ_OPENSSL=FOLDER: on the libcrypto of a folder as check-versions takes them.
# FUZZ_SANITIZE=1: module and harness with the address and the undefined behaviour sanitizer.
FUZZ_B := $(B)-fuzz$(if $(FUZZ_SANITIZE),-sanitized)$(addprefix -,$(notdir $(FUZZ_OPENSSL)))
FUZZ_SANITIZERS := -fsanitize=address,undefined
FUZZ_MAKE = $(MAKE) --no-print-directory -s B='$(FUZZ_B)' CC=clang FUZZ=1 \
	$(if $(FUZZ_SANITIZE),LDFLAGS='$(FUZZ_SANITIZERS)' CPPFLAGS='-U_FORTIFY_SOURCE -w' \
	CFLAGS='-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all $(FUZZ_SANITIZERS)') \
	$(if $(FUZZ_OPENSSL),$(shell test/versions/run --make '$(FUZZ_OPENSSL)'))
FUZZ_START = $(if $(FUZZ_OPENSSL),$(shell test/versions/run --start '$(FUZZ_OPENSSL)'))
FUZZ_ENV = B='$(FUZZ_B)' FUZZ_START='$(FUZZ_START)' FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_JOBS='$(FUZZ_JOBS)'
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 1

.PHONY: fuzz fuzz-build fuzz-sanitizers fuzz-control fuzz-merge fuzz-minimize fuzz-coverage
fuzz-build: $(B)/test/evp/evp
	+@$(FUZZ_MAKE) $(FUZZ_B)/ctaes.so $(FUZZ_B)/test/fuzz/fuzz $(FUZZ_B)/test/fuzz/fuzz-tool
	@B='$(B)' FUZZ_B='$(FUZZ_B)' FUZZ_START='$(FUZZ_START)' test/fuzz/seed

# Before a sanitized build is believed.
fuzz-sanitizers: fuzz-build
	+@$(FUZZ_MAKE) $(FUZZ_B)/test/fuzz/overrun/ctaes.so
	@$(FUZZ_ENV) test/fuzz/sanitizers

fuzz-control: fuzz-build ## let the fuzzer find a planted bug, from one call
	+@$(FUZZ_MAKE) $(FUZZ_B)/test/fuzz/planted/ctaes.so
	@$(FUZZ_ENV) test/fuzz/control

fuzz-merge: fuzz-build ## make test/fuzz/corpus.txt anew, from it and what the fuzzer found
	@$(FUZZ_ENV) test/fuzz/merge

fuzz-minimize: fuzz-build ## shorten the fuzzer's findings, and print each once
	@$(FUZZ_START) $(FUZZ_B)/test/fuzz/fuzz-tool shrink $(FUZZ_B) $(wildcard $(FUZZ_B)/fuzz/found/*)

fuzz-coverage: ## print which lines of provider/ and cores/ the corpus doesn't reach
	+@$(MAKE) --no-print-directory -s B='$(B)-cov' CC=clang COVERAGE=1 $(B)-cov/ctaes.so $(B)-cov/test/fuzz/fuzz-tool
	@B='$(B)-cov' FUZZ_B='$(B)-fuzz' FUZZ_START='$(FUZZ_START)' test/fuzz/coverage

fuzz: deps-check ## run the differential fuzzer (FUZZ_SECONDS, FUZZ_JOBS)
	@$(MAKE) --no-print-directory all $(if $(FUZZ_SANITIZE),fuzz-sanitizers,fuzz-build)
	@$(FUZZ_ENV) test/fuzz/campaign

TEST_PROGRAMS += $(B)/test/fuzz/fuzz-tool
-include $(FUZZ_OBJ:.o=.d)

COMMA := ,
# The module with a bug that only some orders of calls show: an init without an IV doesn't bring back
# the whole of the IV before it. The fuzzer has to find it.
PLANTED := $(B)/test/fuzz/planted
$(PLANTED)/stream.c: provider/stream.c
	@mkdir -p $(@D)
	$(Q)sed 's/memcpy(c->chain.iv, c->original_iv, sizeof c->chain.iv)/memcpy(c->chain.iv, c->original_iv, 15)/' $< > $@
	$(Q)! cmp -s $< $@
$(PLANTED)/stream.o: $(PLANTED)/stream.c
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) $(if $(FUZZ),-fsanitize-coverage=inline-8bit-counters$(COMMA)pc-table) -Iprovider -c -o $@ $<
$(PLANTED)/ctaes.so: $(PLANTED)/stream.o $(filter-out $(B)/provider/stream.o,$(MODULE_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(if $(FUZZ),-Wl$(COMMA)-z$(COMMA)undefs) -o $@ $^
TEST_PROGRAMS += $(PLANTED)/ctaes.so

# For the sanitized build: reads a byte beyond an input of 33 bytes, and shifts too far with one of 34.
OVERRUN := $(B)/test/fuzz/overrun
$(OVERRUN)/stream.c: provider/stream.c
	@mkdir -p $(@D)
	$(Q)sed '/^int ctaes_stream_update/,/^}/s/^    struct ctaes_chain_ctx .*/&\n    if ((in_len == 33 \&\& in[in_len] == 0) || (in_len == 34 \&\& 1 << in_len == 0))\n        return 0;/' $< > $@
	$(Q)! cmp -s $< $@
$(OVERRUN)/stream.o: $(OVERRUN)/stream.c
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -Iprovider -c -o $@ $<
$(OVERRUN)/ctaes.so: $(OVERRUN)/stream.o $(filter-out $(B)/provider/stream.o,$(MODULE_OBJ))
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(if $(FUZZ),-Wl$(COMMA)-z$(COMMA)undefs) -o $@ $^
