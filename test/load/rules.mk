# SPDX-License-Identifier: Apache-2.0
# The load layer: a module whose cores can be broken, and two programs.

LOAD := $(B)/test/load
LOAD_OBJ := $(LOAD)/broken.o $(LOAD)/list.o $(LOAD)/cores.o $(LOAD)/loader.o

# The module's own objects, but for the list of cores: that has those of broken.c, which work through
# the module's. --wrap turns the self-test that is called into broken.c's.
BROKEN_OBJ := $(filter-out $(B)/cores/cores.o,$(MODULE_OBJ)) $(LOAD)/broken.o $(LOAD)/list.o

$(LOAD)/broken/ctaes.so: $(BROKEN_OBJ) provider/ctaes.map
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,--wrap=ctaes_core_selftest -o $@ $(BROKEN_OBJ)

$(LOAD)/broken.o: override CPPFLAGS += -D'CTAES_CORE_LIST(X)=$(CORE_LIST)'
$(LOAD)/list.o: override CPPFLAGS += -D'CTAES_CORE_LIST(X)=$(foreach c,$(CORES),X(broken_$(c)))'
$(LOAD)/list.o: cores/cores.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(LOAD)/cores: $(LOAD)/cores.o $(PORTABLE_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

OPENSSL_LIBS ?= $(shell pkg-config --libs libcrypto 2>/dev/null || echo -lcrypto)
$(LOAD)/loader: $(LOAD)/loader.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(OPENSSL_LIBS)

TEST_PROGRAMS += $(LOAD)/broken/ctaes.so $(LOAD)/cores $(LOAD)/loader
-include $(LOAD_OBJ:.o=.d)
