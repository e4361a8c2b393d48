"""What crossed the network in a run, by kind of frame: the summary printed at its end.

Counts only; what they mean is the pipeline's business.
"""

from __future__ import annotations

from collections import Counter

from snowcast.core.address import Address
from snowcast.core.effects import Delivered, Notice, Send
from snowcast.core.frames import Data, Frame
from snowcast.sim.observer import Lost, Observer
from snowcast.sim.simnode import SimNode


class Tally(Observer):
    """Counts frames, their bytes, and deliveries."""

    def __init__(self) -> None:
        self.frames: Counter[str] = Counter()
        self.frame_bytes: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.deliveries = 0

    def on_send(self, now_us: int, sender: Address, send: Send, frame_bytes: int) -> None:
        """One more of its kind."""
        kind = kind_of(send.frame)
        self.frames[kind] += 1
        self.frame_bytes[kind] += frame_bytes

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
        return "Announcement" if frame.is_system else "Data"
    return type(frame).__name__
