# SPDX-License-Identifier: Apache-2.0
"""Settings of hypothesis, for all tests of this folder."""

import os

import hypothesis

EXAMPLES = int(os.environ.get("CTAES_TEST_EXAMPLES", "60"))

# No deadline: the machine may be busy. No database: each run draws anew, from the seed that `run`
# prints. A failing example is printed with the line that brings it back; with few
# examples it isn't made smaller first, which takes many times as long as finding it.
hypothesis.settings.register_profile(
    "ctaes",
    deadline=None,
    database=None,
    print_blob=True,
    max_examples=EXAMPLES,
    phases=[p for p in hypothesis.Phase if p is not hypothesis.Phase.shrink or EXAMPLES > 10],
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
hypothesis.settings.load_profile("ctaes")
