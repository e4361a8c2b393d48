"""An origin's side of a broadcast: start it, and tell what became of it.

Paper, Root Node Broadcasting and Reliable Message. A receipt is given when one tree has everybody,
when both trees have accounted for all they can, or at the deadline with whoever is still missing.
With the recovery `rebroadcast` the origin starts the same message again, as another attempt, until
a tree is complete; by then the detector has evicted the dead, and those are the missing.
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.config import Recovery
from snowcast.core.context import Context
from snowcast.core.custodies import Custodies
from snowcast.core.custody import Custody, Phase
from snowcast.core.effects import Receipt
from snowcast.core.forwarding import Forwarder
from snowcast.core.frames import Ack, Data, MessageId
from snowcast.core.member import Member, State
from snowcast.core.timers import HopTimer, ReceiptTimer
from snowcast.core.trees import Mode, roots

_Kind = tuple[bool, bool, bool]  # reliable, system, control: the last fields of a data frame


class _Open:
    """A reliable message of this node's own, not yet accounted for."""

    __slots__ = (
        "accounts",
        "attempt",
        "custodies",
        "ends_us",
        "evicted",
        "id",
        "kind",
        "mode",
        "payload",
        "started_us",
    )

    def __init__(
        self, id: MessageId, payload: bytes, mode: Mode, kind: _Kind, now_us: int, ends_us: int
    ) -> None:
        self.id = id
        self.payload = payload
        self.mode = mode
        self.kind = kind
        self.started_us = now_us
        self.ends_us = ends_us
        self.attempt = 0
        self.custodies: list[HopTimer] = []  # one a tree, of the last attempt
        self.accounts: dict[HopTimer, Ack] = {}
        self.evicted: set[Address] = set()


class Receipts:
    """The broadcasts that this node starts."""

    __slots__ = ("_context", "_forwarder", "_open", "custodies")

    def __init__(self, context: Context, forwarder: Forwarder) -> None:
        self._context = context
        self._forwarder = forwarder
        self._open: dict[MessageId, _Open] = {}
        self.custodies = Custodies(context, forwarder, self._on_account)

    def start(
        self,
        id: MessageId,
        payload: bytes,
        mode: Mode,
        reliable: bool,
        system: bool,
        now_us: int,
        control: bool = False,
    ) -> None:
        """Send a message down its trees; if it is reliable, wait for a receipt."""
        kind = reliable, system, control
        if not reliable:
            self._launch(id, payload, mode, 0, kind, now_us)
            return
        config = self._context.config
        ends_us = now_us + config.reliable_deadline_us
        opened = self._open[id] = _Open(id, payload, mode, kind, now_us, ends_us)
        self._context.outbox.set_timer(ReceiptTimer(id), self._next_us(opened, now_us))
        self._attempt(opened, now_us)

    def on_receipt_timer(self, id: MessageId, now_us: int) -> None:
        """Start a message again, or give the receipt with whoever is missing."""
        opened = self._open.get(id)
        if opened is None:
            return
        if now_us >= opened.ends_us:
            self._resolve(opened, self._unconfirmed(opened), now_us)
            return
        for key in opened.custodies:
            self.custodies.close(key)
        opened.attempt += 1
        self._context.outbox.set_timer(ReceiptTimer(id), self._next_us(opened, now_us))
        self._attempt(opened, now_us)

    def on_departed(self, member: Member, now_us: int) -> None:
        """A member is gone; the custodies and the open receipts take note."""
        if member.state is State.EVICTED:
            for opened in self._open.values():
                opened.evicted.add(member.address)
        self.custodies.on_departed(member, now_us)

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"receipts": len(self._open), **self.custodies.sizes()}

    def _attempt(self, opened: _Open, now_us: int) -> None:
        opened.custodies = []
        opened.accounts = {}
        self._launch(opened.id, opened.payload, opened.mode, opened.attempt, opened.kind, now_us)

    def _launch(
        self, id: MessageId, payload: bytes, mode: Mode, attempt: int, kind: _Kind, now_us: int
    ) -> None:
        me = self._context.me
        launched = []
        for tree, root in roots(self._context.view.ring, me, mode):
            data = Data(id, tree, root.left, root.right, payload, 0, attempt, *kind)
            if root.child == me:
                assignments = self._forwarder.forward(data, root.region, me, 1)
            else:
                first = Data(id, tree, root.left, root.right, payload, 1, attempt, *kind)
                self._context.outbox.send(root.child, first)
                assignments = (root,)
            key = HopTimer(id, tree, attempt, root.left, root.right)
            launched.append((key, data, assignments))
        is_reliable, _, _ = kind
        if is_reliable:
            self._open[id].custodies = [key for key, _, _ in launched]
            for key, data, assignments in launched:
                self.custodies.open(key, data, None, assignments, now_us)

    def _on_account(self, custody: Custody, account: Ack, now_us: int) -> None:
        """One tree of a message of ours is accounted for."""
        opened = self._open.get(account.id)
        if opened is None:
            return
        opened.accounts[custody.key] = account
        everyone_has_it = not account.missing and not account.unnamed
        if everyone_has_it or len(opened.accounts) == len(opened.custodies):
            self._resolve(opened, self._unconfirmed(opened), now_us)

    def _unconfirmed(self, opened: _Open) -> tuple[int, set[Address], int]:
        """How many have the message for certain, and who may not, by what the trees tell.

        Missing is who is missing in both. A tree that could not name all who are missing in it
        cannot clear those that the other names.
        """
        accounts = [opened.accounts.get(key) or self._partial(key) for key in opened.custodies]
        accounts.sort(key=lambda account: (account.unnamed, len(account.missing)))
        accounts = [account for account in accounts if not account.unnamed] or accounts[:1]
        missing = set.intersection(*(set(account.missing) for account in accounts))
        delivered = max(a.delivered + len(set(a.missing) - missing) for a in accounts)
        return delivered, missing, accounts[0].unnamed

    def _partial(self, key: HopTimer) -> Ack:
        """The account of a tree that is not complete: whoever has not confirmed is missing."""
        custody = self.custodies.get(key)
        assert custody is not None, "open until it is accounted for"
        view, delivered, missing, unnamed = self._context.view, 0, set[Address](), 0
        for child, branch in custody.branches.items():
            delivered += branch.delivered
            unnamed += branch.unnamed
            missing.update(branch.missing)
            if branch.is_open:
                ring = view.planning_ring(branch.assignment.region, child)
                inside = (
                    [child]
                    if branch.phase is Phase.ADOPTED
                    else ring.members(branch.assignment.region)
                )
                missing.update(inside)
        missing.discard(self._context.me)
        return Ack(key.id, key.tree, key.attempt, True, delivered, tuple(missing), unnamed)

    def _resolve(
        self, opened: _Open, unconfirmed: tuple[int, set[Address], int], now_us: int
    ) -> None:
        """Give the receipt and let go of the message, but for children that are still tried."""
        delivered, missing, unnamed = unconfirmed
        del self._open[opened.id]
        self._context.outbox.cancel_timer(ReceiptTimer(opened.id))
        if opened.attempt:
            missing = missing | opened.evicted
        for key in opened.custodies:
            if key not in opened.accounts:
                self.custodies.close(key)
        _, is_system, _ = opened.kind
        if is_system:
            return
        elapsed_us = now_us - opened.started_us
        attempts = opened.attempt + 1
        names = tuple(sorted(missing))
        self._context.outbox.notify(
            Receipt(opened.id, delivered, names, unnamed, elapsed_us, attempts)
        )

    def _next_us(self, opened: _Open, now_us: int) -> int:
        config = self._context.config
        if config.recovery is Recovery.REBROADCAST:
            return min(now_us + config.rebroadcast_timeout_us, opened.ends_us)
        return opened.ends_us
