# SPDX-License-Identifier: Apache-2.0
# The tests of CPU detection and of the cores' self-test.

CPU_OBJ := $(addprefix $(B)/test/cpu/,main.o features.o selftest.o)

$(B)/test/cpu/cpu: $(CPU_OBJ) $(PORTABLE_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

TEST_PROGRAMS += $(B)/test/cpu/cpu
-include $(CPU_OBJ:.o=.d)
