"""How hard a property is tried, as a multiple of what the profile in conftest.py says."""

from hypothesis import settings
from hypothesis import strategies as st

THOROUGH = settings(max_examples=10 * settings().max_examples)


def seeds() -> st.SearchStrategy[int]:
    """A seed of `random.Random`: where made-up cases must be large, and a report of one short."""
    return st.integers(0, 2**32 - 1)
