# SPDX-License-Identifier: Apache-2.0
"""Settings of pytest, for all tests of this folder."""


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes a second or more; not in the quick form")
