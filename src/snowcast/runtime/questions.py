"""What nodes ask each other for those who run them: a question to all, an answer from each.

A question travels as a reliable control message, so that its receipt names whom it has not reached.
Each node answers its origin directly. Applications see nothing of either.

Rules of this file:
- Every node answers, an agent or a program with the library: questions are part of the protocol.
- Answers of a large cluster are spread over a moment, so that they do not all arrive at once.
- A key is only carried by a question whose asker has made sure that streams are sealed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any

import msgspec

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.core.events import Broadcast, Event
from snowcast.core.frames import MessageId
from snowcast.core.member import Member
from snowcast.core.trees import Mode
from snowcast.runtime.keyring import KeyRing
from snowcast.runtime.news import Receipt
from snowcast.runtime.notices import Notices

SPREAD_S = 0.001  # for each member of the cluster
SPREAD_S_MAX = 2.0
PENDING_MAX = 64  # answers that wait for their moment; questions beyond are not answered


class KeyAction(StrEnum):
    """What to do with the key ring."""

    LIST = "list"
    INSTALL = "install"
    USE = "use"
    REMOVE = "remove"


class Reach(msgspec.Struct, frozen=True, tag_field="ask", tag="reach"):
    """Are you there? The ack of the message is the answer."""


class AskView(msgspec.Struct, frozen=True, tag_field="ask", tag="view"):
    """What do you believe about the cluster?"""


class AskKeys(msgspec.Struct, frozen=True, tag_field="ask", tag="keys"):
    """Do this with your key ring, and say what is on it. `key` is a key, or what it is called."""

    action: KeyAction
    key: str = ""


Question = Reach | AskView | AskKeys


class ViewAnswer(msgspec.Struct, frozen=True):
    """What a node believes about the cluster, and how it is."""

    digest: str
    members: int
    health: int
    version: str


class KeysAnswer(msgspec.Struct, frozen=True):
    """What a node's key ring holds now, the primary first; and why nothing was done, if so."""

    keys: tuple[str, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """What came of a question."""

    receipt: Receipt
    asked: tuple[Member, ...]
    """Who was a member when it was put, this node not counted."""
    answers: dict[Address, Any]
    """Who has answered what."""


class Desk:
    """Answers what is asked of one node."""

    def __init__(
        self,
        view: Callable[[], ViewAnswer],
        keys: Callable[[], KeyRing | None],
        say: Callable[[MessageId, str], None],
    ) -> None:
        self._view = view
        self._keys = keys
        self._say = say
        self._rng = Random()
        self._pending: set[asyncio.TimerHandle] = set()
        self.on_keys_changed: Callable[[], None] = lambda: None
        """Called after a question has changed the key ring."""

    def on_question(self, id: MessageId, payload: bytes) -> None:
        """A question has come."""
        try:
            question = msgspec.json.decode(payload, type=Question)
        except msgspec.MsgspecError:
            return  # of a later version, perhaps: the asker sees that no answer comes
        if isinstance(question, Reach) or len(self._pending) >= PENDING_MAX:
            return
        text = msgspec.json.encode(self.answer(question)).decode()
        loop = asyncio.get_running_loop()
        spread = min(SPREAD_S * self._view().members, SPREAD_S_MAX)

        def say() -> None:
            self._pending.discard(handle)
            self._say(id, text)

        handle = loop.call_later(self._rng.uniform(0, spread), say)
        self._pending.add(handle)

    def answer(self, question: Question) -> ViewAnswer | KeysAnswer:
        """What this node says to a question; also asked by the node itself."""
        if isinstance(question, AskKeys):
            return self._change_keys(question)
        return self._view()

    def close(self) -> None:
        """Answer nothing any more."""
        for handle in self._pending:
            handle.cancel()
        self._pending.clear()

    def _change_keys(self, question: AskKeys) -> KeysAnswer:
        ring = self._keys()
        if ring is None:
            return KeysAnswer((), "this node has no key ring: start it with keys")
        try:
            match question.action:
                case KeyAction.INSTALL:
                    ring.install(question.key)
                case KeyAction.USE:
                    ring.use(question.key)
                case KeyAction.REMOVE if question.key in ring.ids:  # not there: as wished
                    ring.remove(question.key)
        except UsageError as error:
            return KeysAnswer(tuple(ring.ids), str(error))
        if question.action is not KeyAction.LIST:
            self.on_keys_changed()
        return KeysAnswer(tuple(ring.ids))


class Inquiry:
    """One question that waits for answers."""

    def __init__(self, awaited: set[Address]) -> None:
        self.answers: dict[Address, str] = {}
        self._awaited = awaited
        self._all_here = asyncio.Event()

    def take(self, sender: Address, text: str) -> None:
        """An answer has come; one of those asked may say one thing."""
        if sender in self._awaited:
            self.answers.setdefault(sender, text)
            self._look()

    async def wait(self, missing: set[Address], timeout: float) -> None:
        """Wait until all but those missing have answered, or the time is up."""
        self._awaited = self._awaited - missing
        self._look()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._all_here.wait()

    def _look(self) -> None:
        if self._awaited <= self.answers.keys():
            self._all_here.set()


class Inquirer:
    """Asks, on behalf of one node."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._open: dict[MessageId, Inquiry] = {}
        notices.on_answer = self._on_answer

    async def ask(
        self,
        question: Question,
        others: tuple[Member, ...],
        handle: Callable[[Event], None],
        wait: float,
    ) -> Answers:
        """Put a question to `others`, who are all members but this node."""
        payload = msgspec.json.encode(question)
        request = self._notices.next_request()
        coming = self._notices.expect(request)
        handle(Broadcast(payload, Mode.COLORING, True, request, is_control=True))
        id = self._notices.last_accepted
        assert id is not None, "a broadcast is accepted at once"
        inquiry = self._open[id] = Inquiry({member.address for member in others})
        try:
            receipt = await coming
            if not isinstance(question, Reach):
                await inquiry.wait(set(receipt.missing_at), wait)
        finally:
            del self._open[id]
        return Answers(receipt, others, _decoded(question, inquiry.answers))

    def _on_answer(self, id: MessageId, sender: Address, text: str) -> None:
        inquiry = self._open.get(id)
        if inquiry is not None:
            inquiry.take(sender, text)


def _decoded(question: Question, answers: dict[Address, str]) -> dict[Address, Any]:
    """Answers as what they should be; what cannot be read is no answer."""
    kind = KeysAnswer if isinstance(question, AskKeys) else ViewAnswer
    found = {}
    for sender, text in answers.items():
        with suppress(msgspec.MsgspecError):
            found[sender] = msgspec.json.decode(text, type=kind)
    return found
