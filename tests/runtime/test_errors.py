"""The errors can be caught as what they are to Python, too."""

from __future__ import annotations

from snowcast.core.errors import SnowcastError
from snowcast.runtime import errors


def test_timeouts_are_timeouts_and_bind_errors_are_os_errors() -> None:
    assert issubclass(errors.JoinTimeout, TimeoutError)
    assert issubclass(errors.BroadcastTimeout, TimeoutError)
    assert issubclass(errors.BindError, OSError)
    for error in (errors.JoinTimeout, errors.BindError, errors.ClosedError):
        assert issubclass(error, SnowcastError)
