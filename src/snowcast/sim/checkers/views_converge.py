"""When all is quiet, all views are equal, and hold exactly the nodes that are there.

Paper, Membership Maintenance: anti-entropy brings every node to the state of the whole cluster.
With `within_s`, the views have to be equal that soon after the last thing that was done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.sim.checkers.checker import Checker, Options, seconds
from snowcast.sim.observer import NodeChange
from snowcast.sim.sections import Duration
from snowcast.sim.simnode import SimNode

if TYPE_CHECKING:
    from snowcast.sim.cluster import Cluster
    from snowcast.sim.plan import Plan


class ViewsConvergeOptions(Options, frozen=True, kw_only=True):
    """`[check.views_converge]`."""

    within_s: Duration | None = None

    def make(self) -> ViewsConverge:
        """The checker."""
        within_us = None if self.within_s is None else round(self.within_s * SECOND)
        return ViewsConverge(within_us)


class ViewsConverge(Checker):
    """Looks at the digests of all views on every tick."""

    name = "views_converge"

    def __init__(self, within_us: int | None = None) -> None:
        super().__init__()
        self._within_us = within_us
        self._leaving: set[int] = set()
        self._nodes: list[SimNode] = []
        self._quiet_us = 0
        self._equal_us: int | None = None  # since when all views have been equal

    def begin(self, cluster: Cluster, plan: Plan) -> None:
        """Keep the list of nodes, which grows as they come."""
        self._nodes = cluster.nodes

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        """A leaver's view is nobody's business any more."""
        if what is NodeChange.LEAVING:
            self._leaving.add(node.index)
        elif what is NodeChange.RESTARTED:
            self._leaving.discard(node.index)

    def on_quiet(self, now_us: int) -> None:
        """The time to converge begins."""
        self._quiet_us = now_us

    def on_tick(self, now_us: int) -> None:
        """Note since when all views are equal."""
        if not _are_right(self._here()):
            self._equal_us = None
        elif self._equal_us is None:
            self._equal_us = now_us

    def finish(self, now_us: int) -> None:
        """Say which views are wrong, or that they took too long."""
        self.on_tick(now_us)
        here = self._here()
        if self._equal_us is None:
            for node in here:
                self._explain(node, here)
            if not self._found:
                self.wrong("views hold the right nodes, but not in the same incarnations")
            return
        took_us = max(0, self._equal_us - self._quiet_us)
        self.measured["converged_after_s"] = took_us / SECOND
        if self._within_us is not None and took_us > self._within_us:
            self.wrong(f"views took {seconds(took_us)} to be equal, not {seconds(self._within_us)}")

    def _here(self) -> list[SimNode]:
        return [node for node in self._nodes if node.is_up and node.index not in self._leaving]

    def _explain(self, node: SimNode, here: list[SimNode]) -> None:
        ring = set(node.node.view.ring)
        wanted = {other.address for other in here}
        if ring != wanted:
            lacks, keeps = sorted(wanted - ring), sorted(ring - wanted)
            self.wrong(
                f"node {node.index} holds {len(ring)} members and not {len(wanted)}: "
                f"lacks {_some(lacks)}, keeps {_some(keeps)}"
            )


def _are_right(here: list[SimNode]) -> bool:
    """Whether all views are equal, and hold exactly the nodes that are there."""
    if not here:
        return True
    first = here[0].node.view
    if any(node.node.view.digest != first.digest for node in here):
        return False
    return set(first.ring) == {node.address for node in here}


def _some(addresses: list[Address], names_max: int = 3) -> str:
    names = ", ".join(map(str, addresses[:names_max])) or "none"
    return f"{names}..." if len(addresses) > names_max else names
