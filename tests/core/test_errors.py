"""Errors say whose fault it was."""

import pytest

from snowcast.core.errors import FrameError, SnowcastError, UsageError


@pytest.mark.parametrize("kind", [UsageError, FrameError])
def test_every_error_raised_on_purpose_has_one_base(kind: type[Exception]) -> None:
    assert issubclass(kind, SnowcastError)


def test_a_callers_mistake_is_a_value_error_too() -> None:
    assert issubclass(UsageError, ValueError)


def test_bad_bytes_are_not_a_callers_mistake() -> None:
    assert not issubclass(FrameError, UsageError | ValueError | AssertionError)
