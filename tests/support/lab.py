"""Namespaces for tests, where this machine and this user may have them."""

from __future__ import annotations

import pytest

from snowcast.lab.namespaces import why_not

_WHY_NOT = why_not()

needs_namespaces = pytest.mark.skipif(_WHY_NOT is not None, reason=_WHY_NOT or "")
"""For tests that need network namespaces. CI has them."""
