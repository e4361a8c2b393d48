"""Compiled functions are still the plain ones that they were made from."""

from __future__ import annotations

import pytest

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
jit = pytest.importorskip("snowcast.kernels.jit", reason=WHY)


@jit.compiled
def add(one: int, other: int) -> int:
    """The sum."""
    return one + other


def test_a_compiled_function_does_what_its_source_does() -> None:
    assert add(2, 3) == add.py_func(2, 3) == 5
    assert add.__doc__ == "The sum."


def test_nothing_is_written_to_disk() -> None:
    add(1, 1)
    assert not add.stats.cache_path


def test_never_is_later_than_any_time_that_is_added_to() -> None:
    latest_us = np.int64(10**6 * 60 * 60 * 24 * 365 * 1_000)
    assert latest_us < jit.NEVER
    assert jit.NEVER + latest_us > jit.NEVER
