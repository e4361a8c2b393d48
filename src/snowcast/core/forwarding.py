"""Plan the children of an assignment and send the message to them.

Paper, Child Nodes Broadcasting. A plan depends on nothing but the view and the region, so it is
remembered until the view changes: messages from one origin meet the same regions again.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.frames import Data
from snowcast.core.region import Region
from snowcast.core.siblings import Siblings
from snowcast.core.trees import Assignment, Tree, children

PLANS_MAX = 256

_PlanKey = tuple[Region, Address, Tree, Address]


class Forwarder:
    """Sends a message on to the children that cover a region."""

    __slots__ = ("_context", "_plans", "_version")

    def __init__(self, context: Context) -> None:
        self._context = context
        self._plans: dict[_PlanKey, Siblings] = {}
        self._version = -1

    def forward(
        self, data: Data, region: Region, centre: Address, hop: int
    ) -> tuple[Assignment, ...]:
        """Send `data` to the children that `centre` has in `region`; return their assignments.

        `centre` is this node, or a child in whose place it acts. FrameError if the region does not
        contain it.
        """
        siblings = self._plan(region, centre, data.tree, data.id.origin)
        if siblings.children:
            self._context.outbox.forward(data, hop, siblings)
        return siblings.children

    def _plan(self, region: Region, centre: Address, tree: Tree, origin: Address) -> Siblings:
        view = self._context.view
        if view.version != self._version or len(self._plans) >= PLANS_MAX:
            self._plans.clear()
            self._version = view.version
        key = (region, centre, tree, origin)
        plan = self._plans.get(key)
        if plan is None:
            ring = view.planning_ring(region, centre)
            fanout = self._context.config.fanout
            plan = Siblings(children(ring, region, centre, fanout, tree, origin))
            self._plans[key] = plan
        return plan
