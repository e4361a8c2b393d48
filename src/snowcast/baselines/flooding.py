"""Flooding: whoever gets a message for the first time sends it along all of its links.

Along links, not to all members: in a full view that would be n * n frames for each message. On the
same symmetric overlay as Plumtree's this is Plumtree before it has pruned anything, and what it
costs to be sure of everybody: about fanout + 1 copies for each node.
"""

from __future__ import annotations

from snowcast.baselines.linked import Linked
from snowcast.core.address import Address
from snowcast.core.frames import Data


class Flooding(Linked):
    """Sends everything everywhere that it is linked to."""

    def spread(self, data: Data, sender: Address | None, now_us: int) -> None:
        """Send along all links but the one it came by."""
        self.push(data, self.links, but=sender)
