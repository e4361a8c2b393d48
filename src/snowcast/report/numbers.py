"""Numbers as people read them in tables."""

from __future__ import annotations

from snowcast.report.measured import Interval

TITLES = {
    "ldt_ms": "LDT from the send (ms)",
    "ldt_first_to_last_ms": "LDT (ms)",
    "rmr_bytes": "RMR (bytes)",
    "reliability": "Reliability",
    "reliability_live": "Reliability of live nodes",
}
"""The paper's LDT runs from the first receipt to the last."""


def number(metric: str, value: float | None) -> str:
    """`1560`, `121.9`, `0.9912`, or a dash for none. What is not 1 is never shown as 1."""
    if value is None:
        return "-"
    if metric.startswith("reliability"):
        return _share(value)
    return f"{value:.0f}" if metric.endswith("_ms") else f"{value:.1f}"


def published(value: float | None) -> str:
    """A number of the paper's with the places that it is printed with; a dash for none."""
    return "-" if value is None else f"{value:g}"


def with_interval(metric: str, value: Interval | None) -> str:
    """The mean with its interval: `1560 (1490 to 1630)`.

    The mean alone where all are equal, or where too few runs were made to have an interval.
    """
    if value is None:
        return "-"
    mean = number(metric, value.mean)
    if value.ends is None:
        return mean
    low, high = [number(metric, end) for end in value.ends]
    return mean if low == mean == high else f"{mean} ({low} to {high})"


def amount(value: float | None, unit: str = "") -> str:
    """A number of any size with its unit: `12,345 frames/s`, `0.0421 s`, `3.1 us`."""
    if value is None:
        return "-"
    text = f"{value:,.0f}" if value == int(value) or abs(value) >= 1_000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def _share(value: float) -> str:
    if value == 1:
        return "1"
    text = f"{value:.4f}"
    return "0.9999+" if text == "1.0000" and value < 1 else text
