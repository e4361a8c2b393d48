"""How a promise tells its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median, quantiles

Figure = Callable[[str, object], None]
"""What the fixture `figure` gives: `figure("evicted after", "6.5 s")`."""


def spread(values: Sequence[float], unit: str = "") -> str:
    """Many values in a few."""
    low, high = min(values), max(values)
    late = quantiles(values, n=20)[-1] if len(values) > 1 else high
    told = (("least", low), ("median", median(values)), ("95 %", min(late, high)), ("most", high))
    numbers = ", ".join(f"{name} {value:.4g}" for name, value in told)
    return f"{numbers} {unit}".rstrip() + f" ({len(values)} runs)"
