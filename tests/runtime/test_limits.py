"""The bounds of one node."""

from __future__ import annotations

import pytest

from snowcast.core.errors import UsageError
from snowcast.runtime.limits import Limits


def test_every_bound_must_be_positive() -> None:
    for name in Limits.__struct_fields__:
        with pytest.raises(UsageError, match=name):
            Limits(**{name: 0})
