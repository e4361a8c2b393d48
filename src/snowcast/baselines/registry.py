"""The protocols that a scenario, an agent or a command can ask for by name.

A protocol is a way to broadcast and the mode that it is used in. All of them run inside the same
node, with the same membership, frames and counters.
"""

from __future__ import annotations

from typing import NamedTuple

from snowcast.baselines.flooding import Flooding
from snowcast.baselines.gossip import Gossip
from snowcast.baselines.plumtree import Plumtree
from snowcast.baselines.plumtree_paper import PlumtreePaper
from snowcast.baselines.static_tree import StaticTree
from snowcast.core.context import MakeBroadcaster
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode


class Protocol(NamedTuple):
    """One way to broadcast."""

    name: str
    about: str
    mode: Mode = Mode.STANDARD
    """How a message travels, where the algorithm leaves a choice."""
    make_broadcaster: MakeBroadcaster | None = None
    """What makes its broadcaster; None stands for Snow's own."""

    @property
    def is_snow(self) -> bool:
        """Whether it promises what Snow does: everybody gets it, and the sender a receipt."""
        return self.make_broadcaster is None


_PROTOCOLS = (
    Protocol("standard", "Snow along one tree"),
    Protocol("coloring", "Snow along two trees with disjoint inner nodes", Mode.COLORING),
    Protocol("gossip", "to k random members on first receipt", make_broadcaster=Gossip),
    Protocol(
        "plumtree",
        "push along a tree, offer along other links (Leitao et al. 2007)",
        make_broadcaster=Plumtree,
    ),
    Protocol(
        "plumtree-paper",
        "Plumtree with the links and times of the Snow paper's comparison",
        make_broadcaster=PlumtreePaper,
    ),
    Protocol("flooding", "along all links of a symmetric overlay", make_broadcaster=Flooding),
    Protocol("static-tree", "along one k-ary tree over the view", make_broadcaster=StaticTree),
)


def protocol(name: str) -> Protocol:
    """The protocol of this name; UsageError, with the names there are, if there is none."""
    for known in _PROTOCOLS:
        if known.name == name:
            return known
    raise UsageError(f"no protocol {name!r}; allowed: {', '.join(protocol_names())}")


def protocol_names() -> list[str]:
    """The names of all protocols."""
    return [known.name for known in _PROTOCOLS]
