"""What crossed the network in a run, by kind of frame: the summary printed at its end.

Counts only; what they mean is the pipeline's business.
"""

from __future__ import annotations

from collections import Counter

from snowcast.core.address import Address
from snowcast.core.effects import Delivered, Notice
from snowcast.core.frames import Data, Frame
from snowcast.sim.observer import Lost, Observer
from snowcast.sim.simnode import SimNode


class Tally(Observer):
    """Counts frames and deliveries."""

    def __init__(self) -> None:
        self.frames: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.deliveries = 0

    def on_frame(self, now_us: int, node: SimNode, sender: Address, frame: Frame) -> None:
        """One more of its kind has arrived."""
        self.frames[kind_of(frame)] += 1

    def on_drop(self, now_us: int, sender: Address, to: Address, frame: Frame, why: Lost) -> None:
        """One that does not arrive."""
        self.lost[why.value] += 1

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        """A delivery, perhaps."""
        if isinstance(notice, Delivered):
            self.deliveries += 1


def kind_of(frame: Frame) -> str:
    """What to call a frame in a summary: announcements are not messages."""
    if isinstance(frame, Data):
        return "Control" if frame.is_control else "Announcement" if frame.is_system else "Data"
    return type(frame).__name__
