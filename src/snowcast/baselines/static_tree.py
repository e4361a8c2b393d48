"""A static k-ary tree over the sorted view: the plainest tree there is, and one for all origins.

Member i of the ring has member (i - 1) // k as its parent. A message goes along all edges of the
tree from wherever it starts, up to the root and down to everybody, one copy for each node. There is
nothing to set up or to repair: the tree is read off the view, so it is another one as soon as the
view is, and where views differ it is no tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from snowcast.baselines.spreader import Spreader
from snowcast.core.address import Address
from snowcast.core.frames import Data
from snowcast.core.ring import Ring


class StaticTree(Spreader):
    """Sends along the edges of the tree that the view makes."""

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Send to the parent and the children, but not back."""
        context = self.context
        self.push(data, edges(context.view.ring, context.me, context.config.fanout), but=sender)


def edges(ring: Ring, me: Address, fanout: int) -> Iterator[Address]:
    """The parent of `me`, if it has one, and its children; nobody if it is not on the ring."""
    at = ring.find(me)
    if at < 0:
        return
    if at > 0:
        yield ring[(at - 1) // fanout]
    first = fanout * at + 1
    for index in range(first, min(first + fanout, len(ring))):
        yield ring[index]
