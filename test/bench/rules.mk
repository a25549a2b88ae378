# SPDX-License-Identifier: Apache-2.0
# Benchmarks: see docs/benchmarks.md. Nothing here is part of `make check`, and no speed makes any
# target fail.
#
#   make bench, make bench-quick      measure this build, into $(B)/bench/*.json
#   make bench CC=clang B=build-clang another compiler's
#   make bench OPENSSL=folder         against the libcrypto found below that folder
#   make bench-programs               nginx, openssl speed, TLS records, random numbers: a section of
#                                     docs/benchmarks.md, 5 minutes
#   make bench-report                 docs/benchmarks.md from build*/bench/*.json
#   make bench-report PAGE=docs/benchmarks-xeon.md   another CPU's page; so bench-programs
#   make bench-clearing               what clearing registers and stack costs
#   make bench-speed                  the same question to `openssl speed`: do we agree?

BENCH := $(B)/test/bench
BENCH_PROGRAMS := $(BENCH)/bench $(BENCH)/floor.so
BENCH_OBJ := $(patsubst %,$(BENCH)/%.o,bench jobs measure libcrypto)
BENCH_ENV = B='$(B)' CC='$(CC)' CORES='$(CORES)' BENCH_CFLAGS='$(CFLAGS)' \
	BENCH_ISA='$(foreach c,$(CORES),$(c)=$(ISA_$(c));)'
OPENSSL ?=
PAGE ?=

.PHONY: bench-programs bench bench-clearing bench-quick bench-report bench-speed bench-built deps-report
bench: bench-built ## measure every core against the default provider, about 10 minutes
	@$(BENCH_ENV) OPENSSL='$(OPENSSL)' $(PYTHON) test/bench/run full

bench-quick: bench-built ## the same with fewer sizes, 2 minutes
	@$(BENCH_ENV) OPENSSL='$(OPENSSL)' $(PYTHON) test/bench/run quick

bench-speed: bench-built ## compare bench with `openssl speed`
	@$(BENCH_ENV) $(PYTHON) test/bench/run speed

# A second module, which leaves secrets in registers and on the stack: nothing but this uses it.
bench-clearing: bench-built ## measure what clearing registers and stack costs, 1 minute
	@$(MAKE) --no-print-directory B='$(BENCH)/uncleared' CPPFLAGS='$(CPPFLAGS) -DCTAES_UNCLEARED' \
		'$(BENCH)/uncleared/ctaes.so'
	@B='$(B)' $(PYTHON) test/bench/clearing.py

bench-report: deps-report ## tables and plots of all that was measured, into docs/
	@PAGE='$(PAGE)' $(PYTHON) test/bench/report.py $(RESULTS)

bench-programs: bench-built $(BENCH)/live $(B)/test/cli/rest.so ## nginx, openssl speed, TLS records and RAND_bytes on ctaes, 5 minutes
	@$(BENCH_ENV) PAGE='$(PAGE)' $(PYTHON) test/bench/in_programs.py $(PARTS)

bench-built: $(B)/ctaes.so $(BENCH_PROGRAMS)

deps-report:
	@$(call install_packages,python3 gnuplot-nox)

$(BENCH)/bench: $(BENCH_OBJ) $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -ldl -lm

$(BENCH)/live: $(BENCH)/live.o $(BENCH)/measure.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(OPENSSL_LIBS) -lssl -lm

# It has no core: the modes' tables only tell it what OpenSSL asks about the algorithms.
$(BENCH)/floor.so: $(BENCH)/floor.o $(MODE_SRC:%.c=$(B)/%.o) provider/ctaes.map
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^)

-include $(wildcard $(BENCH)/*.d)
