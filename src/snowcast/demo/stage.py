"""What the audience can see: who is there, what each believes, and how far each message has come.

Rules of this file:
- It is made of news and of what the conductor has done, and of nothing else; it knows no clock.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from snowcast.core.trees import Mode
from snowcast.demo import cues


@dataclass
class Message:
    """One message on its way."""

    id: str
    origin: int
    mode: Mode
    is_reliable: bool
    sent_us: int
    expected: frozenset[int]
    """Who is there to get it."""
    copies: list[cues.Arrived] = field(default_factory=list)
    firsts: dict[int, cues.Arrived] = field(default_factory=dict)
    adopted: list[cues.Adopted] = field(default_factory=list)
    receipt: cues.Confirmed | None = None

    @property
    def missed(self) -> frozenset[int]:
        """Who is there and has not got it."""
        return self.expected - self.firsts.keys()

    @property
    def took_ms(self) -> float:
        """From the send to the last first copy so far."""
        last_us = max((first.at_us for first in self.firsts.values()), default=self.sent_us)
        return (last_us - self.sent_us) / 1_000

    @property
    def hops(self) -> int:
        """The most that a first copy took."""
        return max((first.hop for first in self.firsts.values()), default=0)

    def take(self, news: cues.OfMessage) -> None:
        """Something has become of it."""
        match news:
            case cues.Arrived():
                self.copies.append(news)
                if news.is_first:
                    self.firsts.setdefault(news.node, news)
            case cues.Adopted():
                self.adopted.append(news)
            case cues.Confirmed():
                self.receipt = news

    def busy_until_us(self, work_us: dict[int, int], usual_us: int) -> int:
        """When the last of those who have it will have passed it on."""
        ends_us = [c.at_us + work_us.get(c.node, usual_us) for c in self.firsts.values()]
        return max(ends_us, default=self.sent_us)


class Stage:
    """The cluster as it is known from the outside."""

    def __init__(self) -> None:
        self.up: set[int] = set()
        self.dead: set[int] = set()
        self.left: set[int] = set()
        self.counts: dict[int, int] = {}
        """How many members each node knows of."""
        self.beliefs: dict[int, dict[int, str]] = defaultdict(dict)
        """Of each member, what each node last heard of it."""
        self.accusers: dict[int, tuple[int, int]] = {}
        """Of each suspect, who told first, and when."""
        self.messages: dict[str, Message] = {}
        self.shown: Message | None = None
        """The message sent last."""
        self._early: dict[str, list[cues.OfMessage]] = defaultdict(list)
        self._asked: tuple[Mode, bool] = (Mode.STANDARD, False)

    def ask(self, mode: Mode, is_reliable: bool) -> None:
        """The next message will be of this kind."""
        self._asked = mode, is_reliable

    def enter(self, node: int) -> None:
        """A node has been started."""
        self.up.add(node)

    def crash(self, node: int) -> None:
        """A node has been silenced."""
        self.up.discard(node)
        self.dead.add(node)

    def leave(self, node: int) -> None:
        """A node has been told to leave."""
        self.up.discard(node)
        self.left.add(node)

    def clear(self) -> None:
        """Show no message any more."""
        self.shown = None

    def take(self, news: cues.AnyNews) -> None:
        """Something has happened."""
        match news:
            case cues.Sent():
                self._sent(news)
            case cues.Arrived() | cues.Adopted() | cues.Confirmed():
                message = self.messages.get(news.message)
                if message is None:  # told by another process than the origin's, and sooner
                    self._early[news.message].append(news)
                else:
                    message.take(news)
            case cues.Changed():
                self.beliefs[news.about][news.node] = news.state
                if news.state == "suspect":
                    self.accusers.setdefault(news.about, (news.node, news.at_us))
            case cues.Counted():
                self.counts[news.node] = news.members

    def believers(self, about: int, state: str) -> set[int]:
        """Those who are up and believe this of a member."""
        heard = self.beliefs[about]
        return {node for node in self.up if heard.get(node) == state}

    def agree(self, members: int) -> bool:
        """Whether everybody who is up knows so many members."""
        return all(self.counts.get(node) == members for node in self.up)

    def _sent(self, news: cues.Sent) -> None:
        mode, is_reliable = self._asked
        others = frozenset(self.up - {news.node})
        message = Message(news.message, news.node, mode, is_reliable, news.at_us, others)
        self.messages[news.message] = self.shown = message
        for early in self._early.pop(news.message, ()):
            message.take(early)
