"""The one decorator of compiled code, and the types of its arrays.

Nothing is cached on disk: compiling takes seconds, once a process, and a cache would have to stand
in a folder that may belong to somebody else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Times: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

F = TypeVar("F", bound=Callable[..., Any])

NEVER = np.int64(1) << np.int64(62)
"""A time that no frame arrives at; inside compiled code only."""


def compiled(function: F) -> F:
    """`function`, compiled when it is first called. Its source stays reachable as `py_func`."""
    return cast(F, njit(function))
