# SPDX-License-Identifier: Apache-2.0
# A second Python's `cryptography`, from the package index: unlike Debian's, it brings its own
# OpenSSL, a newer one. test/python/run uses it when it is there.
VENV_PYTHON ?= /usr/bin/python3

.PHONY: venv
venv: $(B)/venv/done ## install Python's newest `cryptography` into $(B)/venv, for the tests

$(B)/venv/done:
	$(VENV_PYTHON) -m venv --clear $(B)/venv
	$(B)/venv/bin/pip install --quiet --disable-pip-version-check cryptography pytest hypothesis
	touch $@
