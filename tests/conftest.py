"""What every test runs under: how Hypothesis looks for examples, and the flag for transcripts.

`HYPOTHESIS_PROFILE` chooses. All but `soak` draw the same examples each time, so a red run stays
red; none has a limit on the wall clock, so a busy machine changes nothing.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("dev", settings.get_profile("ci"), max_examples=50)
settings.register_profile("soak", settings.get_profile("ci"), derandomize=False, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write tests/transcripts/*.txt as the stories go now, instead of comparing them",
    )
