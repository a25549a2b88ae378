# SPDX-License-Identifier: Apache-2.0
#
# ctaes: constant-time AES for OpenSSL 3. `make help` lists the targets.
#
#   make                        build/ctaes.so
#   make CC=clang B=build-clang another compiler, in another folder
#   make CORES="ct64 ct32"      a module with just these cores
#   make V=1                    show the commands

B ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
PYTHON ?= /usr/bin/python3

# make has no names with blanks in them.
ifneq ($(words $(CURDIR)),1)
$(error The path of this folder has a blank in it, which make can't work with: $(CURDIR). Move the sources)
endif
ifneq ($(words $(B)),1)
$(error The build folder must have a name without blanks: B=$(B))
endif

VERSION := $(shell sed -n 's/^\#define CTAES_VERSION "\(.*\)"/\1/p' provider/provctx.h)

PREFIX ?= /usr/local
MODULESDIR ?= $(shell pkg-config --variable=modulesdir libcrypto 2>/dev/null)
CONFDIR ?= $(PREFIX)/share/ctaes
MANDIR ?= $(PREFIX)/share/man
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

# What the compiler builds for; nothing on a machine that has no compiler yet.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)

# --- The cores, best first: the order in which `auto` tries them. ----------------------------
# Between the portable two, the size of a word decides: on 32-bit machines ct32 is twice as fast, and
# needs no product of 64 bits, whose time depends on the operands on some of them.
POINTER_BYTES := $(lastword $(shell echo __SIZEOF_POINTER__ | $(CC) -E -P - 2>/dev/null))
CORES_PORTABLE := $(if $(filter 4,$(POINTER_BYTES)),ct32 ct64,ct64 ct32)
CORES_x86_64 := vaes512 vaes256 aesniavx aesni avx512 avx2p avx2 ssse3p ssse3 sse2
CORES ?= $(if $(filter 8,$(POINTER_BYTES)),$(CORES_$(firstword $(subst -, ,$(MACHINE))))) $(CORES_PORTABLE)
ifeq ($(strip $(CORES)),)
$(error CORES names no core)
endif

# Cores that call functions of another one, which is then linked even if CORES doesn't name it.
NEEDS_avx2p := avx2
NEEDS_ssse3p := ssse3
NEEDS_sse2 := ct64
CORES_LINKED := $(sort $(CORES) $(foreach c,$(CORES),$(NEEDS_$(c))))

# --- The ISA table: what each core's file is compiled with, and nothing else in the tree is. --
# -O2 whatever CFLAGS says: below it, arrays of vectors, and secrets, lie on the stack; above it gcc
# doubles the size of the files by unrolling the rounds, for nothing.
ISA_aesni := -O2 -maes -mpclmul -msse4.1
ISA_aesniavx := -O2 -maes -mpclmul -mavx
ISA_vaes256 := -O2 -maes -mpclmul -mavx2 -mvaes -mvpclmulqdq
ISA_vaes512 := -O2 -maes -mpclmul -mvaes -mvpclmulqdq -mavx512f -mavx512bw -mavx512vl
# The vector-permute cores. gcc reorders sums so that the chain of a single block gets longer: with
# its reassociation CBC encryption takes 8 % more time, everything else 1 to 4 %. clang has no such
# flag. The p cores have only GHASH and calls in their files.
VPERM_FLAGS = -O2 $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),,-fno-tree-reassoc)
ISA_ssse3 := $(VPERM_FLAGS) -mssse3
ISA_ssse3p := -O2 -mssse3 -msse4.1 -mpclmul
ISA_avx2 := $(VPERM_FLAGS) -mavx2
ISA_avx2p := -O2 -mavx2 -mpclmul
ISA_avx512 := $(VPERM_FLAGS) -mavx512f -mavx512bw -mavx512vl
# The bitsliced cores. sse2: SSE2 is there on any x86-64. With more vectors than registers, gcc does
# better when it schedules before it allocates these: encryption is 1.08 times as fast.
ISA_sse2 := -O2 $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),,-fschedule-insns -fsched-pressure)
# ct64, ct32: the rounds are as fast at -O2, but gcc encrypts single blocks 1.3 times (ct64), sets up
# keys 1.5 times (ct64) and hashes 1.17 times (ct32) as fast at -O3. Of a single block's words it
# would make vectors, which take 5 % more time.
ISA_ct64 := -O3 -fno-tree-vectorize
ISA_ct32 := -O3

# ------------------------------------------------------------------------------------------------
# -Wno-psabi: on 32-bit x86, gcc tells that vectors are passed otherwise without SSE. All that take or
# return one are static.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wno-psabi
HARDENING := -fstack-protector-strong $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDENING += $(if $(filter x86_64% i686%,$(MACHINE)),-fcf-protection)
OPENSSL_CFLAGS := $(shell pkg-config --cflags libcrypto 2>/dev/null)
OPENSSL_LIBS ?= $(shell pkg-config --libs libcrypto 2>/dev/null || echo -lcrypto)
# No link-time optimisation, though many distributions' CFLAGS ask for it: across files it could undo
# what was checked of each, and objcopy can't make names local in what it makes.
ALL_CFLAGS = -std=c11 $(CFLAGS) -fno-lto $(WARNINGS) $(WERROR) $(HARDENING) -fPIC -fvisibility=hidden \
	-ffile-prefix-map=$(CURDIR)=. -MMD -MP $(OPENSSL_CFLAGS) $(CPPFLAGS)
ALL_LDFLAGS = -shared -Wl,--version-script=provider/ctaes.map -Wl,-z,defs -Wl,-z,relro,-z,now \
	-Wl,-z,noexecstack -Wl,-z,nodelete -Wl,--as-needed $(LDFLAGS)

# One line for each step, or the commands themselves with V=1.
Q := $(if $(V),,@)
SILENT := $(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS) -)))
say = $(if $(V)$(SILENT),,@echo '  $(1)  $(2)')

CORE_SRC := cores/cores.c cores/cpu.c cores/selftest.c $(CORES_LINKED:%=cores/%.c)
MODE_SRC := $(wildcard provider/modes/*.c)
PROVIDER_SRC := $(wildcard provider/*.c)
# What has no OpenSSL in it: the unit tests link this.
PORTABLE_OBJ := $(CORE_SRC:%.c=$(B)/%.o) $(MODE_SRC:%.c=$(B)/%.o)
# What the tests know of the modes that have an interface of their own.
MESSAGE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard test/messages/*.c))
MODULE_OBJ := $(PORTABLE_OBJ) $(PROVIDER_SRC:%.c=$(B)/%.o)

# libctaes: the cores and modes under a public header, without OpenSSL (docs/library.md).
LIBRARY_SRC := $(wildcard provider/library/*.c) provider/declassify.c
LIBRARY_OBJ := $(PORTABLE_OBJ) $(LIBRARY_SRC:%.c=$(B)/%.o)

CORE_LIST := $(foreach c,$(CORES),X($(c)))

.PHONY: all libraries package check check-programs check-versions lint demo deps deps-check install uninstall clean help print-cores
all: $(B)/ctaes.so $(B)/ctaes-check libraries ## build the module, build/ctaes.so, ctaes-check, and the static libraries
libraries: $(B)/libctaes.a $(B)/libctaes-provider.a

# What follows an installation starts a new make, which sees the compiler.
check: deps-check ## run all tests (LAYERS="unit evp" for some; REQUIRE_CORES="..." to forbid skipping)
	@$(MAKE) --no-print-directory all
	@B='$(B)' CC='$(CC)' PYTHON='$(PYTHON)' CORES='$(CORES)' REQUIRE_CORES='$(REQUIRE_CORES)' test/run $(LAYERS)

check-versions: deps-check ## run the tests under other versions too (OPENSSL="folder ..." of unpacked packages)
	@$(MAKE) --no-print-directory all
	@B='$(B)' CC='$(CC)' PYTHON='$(PYTHON)' LAYERS='$(LAYERS)' test/versions/run $(OPENSSL)

check-programs: deps-check ## run nginx, OpenSSH, Node.js and others of Debian's programs on ctaes
	@$(call install_packages,$(DEPS_PROGRAMS))
	@if test -d /run/systemd/system; then echo 'Servers are not installed here, as Debian would start them: see docs/compatibility.md'; \
	else $(call install_packages,$(DEPS_SERVERS)); fi
	@$(MAKE) --no-print-directory all $(B)/test/cli/rest.so $(B)/test/programs/lives
	@B='$(B)' CC='$(CC)' PYTHON='$(PYTHON)' test/programs/run

.PHONY: dist check-asan check-ubsan check-tsan check-memcheck check-scale check-warnings check-dist reliability
check-asan check-ubsan check-tsan check-memcheck: check-%: deps-check
	@B='$(B)' CC='$(CC)' PYTHON='$(PYTHON)' test/sanitizers/run $*

# (These lines are for `make help`, which reads one target of each.)
check-asan: ## run unit, evp, faults, library and python under the address sanitizer (CTAES_QUICK=1: a part)
check-ubsan: ## the same under the undefined behaviour sanitizer
check-tsan: ## run threads that share the module under the thread sanitizer
check-memcheck: ## run faults and a part of unit under valgrind, which looks for leaks and overruns

check-scale: deps-check ## messages over 4 GiB, a million contexts, threads (minutes; CTAES_QUICK=1: a hundredth)
	@$(MAKE) --no-print-directory all
	@B='$(B)' CC='$(CC)' test/scale/run

reliability: ## put the figures of the last runs into docs/reliability.md
	@B='$(B)' CC='$(CC)' test/reliability/fill

check-dist: deps-check ## unpack the tarball in two folders, build there, compare, test
	@B='$(B)' CC='$(CC)' test/dist/run

check-warnings: deps-check ## build with gcc and clang at -O0 to -O3, every warning an error
	@B='$(B)' test/lint/run $(foreach l,0 1 2 3,gcc-O$(l) clang-O$(l))

lint: deps-check ## check layout, layering, warnings with gcc and clang, static analysis
	@B='$(B)' CC='$(CC)' PYTHON='$(PYTHON)' test/lint/run

demo: deps ## encrypt and decrypt a file through openssl enc, and show that it worked
	@$(MAKE) --no-print-directory all
	@B='$(B)' test/demo.sh

# Debian's and Ubuntu's names. What is installed already costs nothing, and
# where there is no apt-get, nothing is installed.
DEPS_BUILD := gcc make libc6-dev libssl-dev pkg-config openssl
DEPS_CHECK := $(DEPS_BUILD) clang clang-format clang-tidy cppcheck shellcheck valgrind binutils \
	python3 python3-cryptography python3-cryptography-vectors python3-pytest \
	python3-hypothesis pyflakes3 nettle-dev libgcrypt20-dev
DEPS_WORDS := gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user-static
DEPS_PROGRAMS := curl openssh-client python3-cryptography $(if $(shell command -v node 2> /dev/null),,nodejs)
DEPS_SERVERS := nginx-light openssh-server postgresql
SUDO := $(if $(filter-out 0,$(shell id -u)),sudo)

# $(call install_packages,packages,options of apt-get install)
define install_packages
command -v apt-get > /dev/null || exit 0; missing=; for p in $(1); do \
	dpkg-query -W -f '$${Status}' $$p 2> /dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	test -z "$$missing" || { echo "installing:$$missing"; $(SUDO) apt-get update -qq; \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(2) $$missing; }
endef

deps: ## install the packages that building needs
	@$(call install_packages,$(DEPS_BUILD))

# The cross compilers conflict with gcc-multilib: whoever has that keeps it, and
# the tests on other kinds of machines are skipped, which they say.
deps-check: deps ## install the packages that the tests need too
	@$(call install_packages,$(DEPS_CHECK))
	@$(call install_packages,$(DEPS_WORDS),--no-remove) || true

PUBLIC_LIBRARIES := $(B)/libctaes.a $(B)/libctaes-provider.a
PUBLIC_HEADERS := provider/library/ctaes.h provider/ctaes-provider.h

install: all ## install the module, the configuration and the libraries (DESTDIR, PREFIX, MODULESDIR, LIBDIR)
	@test -n '$(MODULESDIR)' || { echo 'Where are OpenSSL modules kept? Say MODULESDIR=...'; exit 1; }
	install -d '$(DESTDIR)$(MODULESDIR)' '$(DESTDIR)$(CONFDIR)' '$(DESTDIR)$(PREFIX)/bin' \
		'$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(MANDIR)/man7' '$(DESTDIR)$(MANDIR)/man3' \
		'$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 $(B)/ctaes.so '$(DESTDIR)$(MODULESDIR)/ctaes.so'
	install -m 755 $(B)/ctaes-check '$(DESTDIR)$(PREFIX)/bin/ctaes-check'
	install -m 644 docs/ctaes-check.1 '$(DESTDIR)$(MANDIR)/man1/ctaes-check.1'
	install -m 644 docs/provider-ctaes.7 '$(DESTDIR)$(MANDIR)/man7/provider-ctaes.7'
	for file in conf/*.cnf; do \
		sed -e 's|^# module = .*|module = $(MODULESDIR)/ctaes.so|' -e 's|/usr/share/ctaes/|$(CONFDIR)/|' \
			"$$file" > '$(DESTDIR)$(CONFDIR)'/"$${file##*/}" || exit 1; done
	install -m 644 $(PUBLIC_LIBRARIES) '$(DESTDIR)$(LIBDIR)'
	install -m 644 $(PUBLIC_HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 docs/ctaes.3 '$(DESTDIR)$(MANDIR)/man3/ctaes.3'
	for name in ctaes ctaes-provider; do \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
			-e 's|@VERSION@|$(VERSION)|' conf/$$name.pc.in \
			> '$(DESTDIR)$(LIBDIR)'/pkgconfig/$$name.pc || exit 1; done

uninstall: ## remove what install put there
	rm -f '$(DESTDIR)$(MODULESDIR)/ctaes.so' '$(DESTDIR)$(PREFIX)/bin/ctaes-check'
	rm -f '$(DESTDIR)$(MANDIR)/man1/ctaes-check.1' '$(DESTDIR)$(MANDIR)/man7/provider-ctaes.7'
	rm -f $(patsubst conf/%,'$(DESTDIR)$(CONFDIR)/%',$(wildcard conf/*.cnf))
	rm -f '$(DESTDIR)$(MANDIR)/man3/ctaes.3' $(patsubst %,'$(DESTDIR)$(LIBDIR)/pkgconfig/%.pc',ctaes ctaes-provider)
	rm -f $(patsubst %,'$(DESTDIR)$(LIBDIR)/%',$(notdir $(PUBLIC_LIBRARIES)))
	rm -f $(patsubst %,'$(DESTDIR)$(INCLUDEDIR)/%',$(notdir $(PUBLIC_HEADERS)))
	rmdir '$(DESTDIR)$(CONFDIR)' 2> /dev/null || true

package: all ## build Debian packages, build/package/*.deb
	@mkdir -p $(B)/package
	@B='$(B)' CC='$(CC)' conf/make-deb $(VERSION) $(B)/package

dist: ## make a tarball of the committed tree, build/ctaes-VERSION.tar.gz, the same bytes each time
	@mkdir -p $(B)
	@git archive --format=tar --prefix=ctaes-$(VERSION)/ -o $(B)/ctaes-$(VERSION).tar HEAD || { rm -f $(B)/ctaes-$(VERSION).tar; \
		echo 'make dist packs what git has committed, and this folder is no git repository of ctaes'; exit 1; }
	@gzip -9nf $(B)/ctaes-$(VERSION).tar
	@echo '$(B)/ctaes-$(VERSION).tar.gz'

clean: ## remove the build folder
	rm -rf '$(B)'

help: ## list these targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(filter-out %.d,$(MAKEFILE_LIST)) | expand -t 20

print-cores: ## print the names of the cores of this build
	@echo $(CORES)

$(B)/ctaes.so: $(MODULE_OBJ) provider/ctaes.map
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(MODULE_OBJ)

$(B)/cores/cores.o: override CPPFLAGS += -D'CTAES_CORE_LIST(X)=$(CORE_LIST)'
define isa_rule
$(B)/cores/$(1).o: override CFLAGS += $(ISA_$(1))
endef
$(foreach c,$(CORES_LINKED),$(eval $(call isa_rule,$(c))))

# An ordinary program, which uses libcrypto as all of them do.
CHECK_OBJ := $(B)/conf/ctaes-check.o $(B)/conf/beside.o
$(B)/ctaes-check: $(CHECK_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $(CHECK_OBJ) $(OPENSSL_LIBS) -ldl

# Static libraries of one object each, in which all names but the public ones are local: they can't
# clash with those of the program that links them, nor with each other's. (What 32-bit x86 code finds
# itself by, all objects have alike, and the linker keeps one.)
OBJCOPY = $(shell $(CC) -print-prog-name=objcopy)
# $(call link_library,options of objcopy that leave the public names)
define link_library
	$(call say,AR,$@)
	$(Q)$(CC) $(filter -m32 -m64,$(CFLAGS)) -r -nostdlib -o $(@:.a=.o) $(filter %.o,$^)
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='__x86.get_pc_thunk.*' $(1) $(@:.a=.o)
	$(Q)rm -f $@ && ar rcsD $@ $(@:.a=.o)
endef

$(B)/libctaes.a: $(LIBRARY_OBJ) provider/library/ctaes.sym
	$(call link_library,--keep-global-symbols=provider/library/ctaes.sym)

$(B)/libctaes-provider.a: $(MODULE_OBJ)
	$(call link_library,--redefine-sym OSSL_provider_init=ctaes_provider_init --keep-global-symbol=ctaes_provider_init)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Changes when the compiler, its flags (also those of this file) or the list of cores do, so that they
# rebuild what they touch.
FLAGS_NOW := $(CC) $(ALL_CFLAGS) / $(LDFLAGS) / $(foreach c,$(CORES_LINKED),$(c) $(ISA_$(c))) / $(CORES)
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
.PHONY: FORCE
FORCE:

-include $(MODULE_OBJ:.o=.d) $(LIBRARY_OBJ:.o=.d) $(CHECK_OBJ:.o=.d)
-include $(wildcard test/*/rules.mk)
