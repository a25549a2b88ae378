# SPDX-License-Identifier: Apache-2.0
# All programs of the tests that need no other compiler, in one make: layers that run at the same
# time would otherwise each build what they share. The list is complete only when all rules.mk have
# been read, so it is looked at in the recipe.
.PHONY: test-programs
test-programs:
	@$(MAKE) --no-print-directory $(B)/ctaes.so $(TEST_PROGRAMS)
