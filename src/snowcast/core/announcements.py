"""Announcements: news of members, gathered for a moment and sent to all as one message.

Paper, Membership Maintenance: each membership change is broadcast as a Reliable Message. Many
changes at once are one message, so that a thousand joins are not a thousand broadcasts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from snowcast.core.address import Address
from snowcast.core.codec import encode_members
from snowcast.core.context import Context
from snowcast.core.member import Member, State
from snowcast.core.timers import AnnounceTimer

MEMBERS_MAX = 1_000  # in one message


class Announcer:
    """Gathers news and broadcasts it."""

    def __init__(self, context: Context, broadcast: Callable[[bytes, bool, int], None]) -> None:
        self._context = context
        self._broadcast = broadcast
        self._news: dict[Address, Member] = {}

    def add(self, members: Iterable[Member], now_us: int) -> None:
        """Announce `members` within the batch time."""
        is_first = not self._news
        for member in members:
            self._news[member.address] = member
        if is_first and self._news:
            self._context.outbox.set_timer(
                AnnounceTimer(), now_us + self._context.config.announce_batch_us
            )

    def flush(self, now_us: int) -> None:
        """Send what has gathered: suspicions as a plain message, all else as a reliable one."""
        news = tuple(map(self._newest, self._news.values()))
        if self._news:
            self._context.outbox.cancel_timer(AnnounceTimer())
        self._news.clear()
        for first in range(0, len(news), MEMBERS_MAX):
            members = news[first : first + MEMBERS_MAX]
            is_reliable = any(member.state is not State.SUSPECT for member in members)
            self._broadcast(encode_members(members), is_reliable, now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"news": len(self._news)}

    def _newest(self, member: Member) -> Member:
        """What is known by now, which may be newer than what was to be announced."""
        known = self._context.view.get(member.address)
        return known if known is not None and known.supersedes(member) else member
