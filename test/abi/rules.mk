# SPDX-License-Identifier: Apache-2.0
.PHONY: sizes
sizes: all ## print the size of the module and of each core
	@B='$(B)' CC='$(CC)' CORES='$(CORES)' $(PYTHON) -B test/abi/sizes.py
