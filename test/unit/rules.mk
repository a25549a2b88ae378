# SPDX-License-Identifier: Apache-2.0
# The unit tests: one program over the cores and the modes, without OpenSSL.

UNIT_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard test/unit/*.c))
# The modes, from their declarations.
MODE_NAMES := $(shell sed -n 's/^extern const struct ctaes_mode ctaes_mode_\([a-z0-9_]*\);.*/\1/p' \
	provider/modes/mode.h)
MODE_LIST := $(foreach m,$(MODE_NAMES),X($(m)))

# What the glue has without OpenSSL. ctaes_random is the tests' own.
UNIT_GLUE := $(B)/provider/tls_cbc.o $(B)/provider/declassify.o

$(B)/test/unit/unit: $(UNIT_OBJ) $(MESSAGE_OBJ) $(UNIT_GLUE) $(PORTABLE_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(B)/test/unit/main.o: override CPPFLAGS += -D'MODE_LIST(X)=$(MODE_LIST)'

TEST_PROGRAMS += $(B)/test/unit/unit
-include $(UNIT_OBJ:.o=.d)
