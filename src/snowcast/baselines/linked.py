"""A spreader that sends along the symmetric links of `overlay`, which it keeps up to date."""

from __future__ import annotations

from snowcast.baselines.overlay import Overlay
from snowcast.baselines.spreader import Spreader
from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.member import Member


class Linked(Spreader):
    """Knows its links; what they are for is left to others."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._overlay = Overlay(context.me, context.config.fanout)

    @property
    def links(self) -> list[Address]:
        """Who this node is linked with."""
        return self._overlay.links

    def on_arrived(self, member: Member, now_us: int) -> None:
        """It may stand beside this node on one of the rings."""
        if self._overlay.add(member.address):
            self.on_links()

    def on_departed(self, member: Member, now_us: int) -> None:
        """If it was linked, others come nearer."""
        if member.address in self.links:
            self._overlay.rebuild(self.context.view.ring)
            self.on_links()

    def on_links(self) -> None:
        """The links are others than before."""
