"""The protocols as a report shows them: in which order, by what name, in which colour.

Colours are Okabe and Ito's, which the colour-blind can tell apart; markers differ too, so that
figures can be read in grey.
"""

from __future__ import annotations

from typing import NamedTuple


class Look(NamedTuple):
    """How one protocol is shown."""

    title: str
    colour: str
    marker: str


LOOKS = {
    "standard": Look("Snow Standard", "#0072b2", "o"),
    "coloring": Look("Snow Coloring", "#d55e00", "s"),
    "gossip": Look("Gossip", "#009e73", "^"),
    "plumtree": Look("Plumtree", "#cc79a7", "D"),
    "plumtree-paper": Look("Plumtree, paper's timers", "#8c6bb1", "v"),
    "flooding": Look("Flooding", "#56b4e9", "P"),
    "static-tree": Look("Static tree", "#7f7f7f", "X"),
}
"""By the name that the simulator, the lab and the agents know."""


def look(protocol: str) -> Look:
    """How a protocol is shown; one that is not known here is shown all the same."""
    return LOOKS.get(protocol, Look(protocol, "#000000", "."))


def is_ours(protocol: str) -> bool:
    """Whether it is Snow, and not what Snow is compared with."""
    return protocol in ("standard", "coloring")


def in_order(protocols: set[str]) -> list[str]:
    """These protocols as a report lists them."""
    known = [name for name in LOOKS if name in protocols]
    return known + sorted(protocols - LOOKS.keys())
