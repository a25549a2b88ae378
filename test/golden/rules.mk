# SPDX-License-Identifier: Apache-2.0
# The long vectors, and the program that makes their digests (which nothing else needs).

GOLDEN_OBJ := $(addprefix $(B)/test/golden/,golden.o cases.o sha256.o) $(B)/test/unit/choose_cores.o

$(B)/test/golden/golden: $(GOLDEN_OBJ) $(MESSAGE_OBJ) $(PORTABLE_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# MODE_LIST comes from test/unit/rules.mk; this is expanded when it is used.
$(B)/test/golden/golden.o: override CPPFLAGS += -D'MODE_LIST(X)=$(MODE_LIST)'

$(B)/test/golden/make_golden: $(addprefix $(B)/test/golden/,make_golden.o siv.o cases.o)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lnettle -lgcrypt -lcrypto

.PHONY: golden-regenerate
golden-regenerate: $(B)/test/golden/make_golden ## compute the digests of the long vectors again (nettle-dev, libgcrypt20-dev)
	$< > $(B)/test/golden/digests.txt
	mv $(B)/test/golden/digests.txt test/golden/digests.txt

TEST_PROGRAMS += $(B)/test/golden/golden
-include $(GOLDEN_OBJ:.o=.d) $(B)/test/golden/make_golden.d
