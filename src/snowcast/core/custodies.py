"""Reliable Message on the way down and up: who is silent, and what a parent does about it.

Paper, Reliable Message; DESIGN 5. A leaf acks at once. An internal node says `received` at once
and `complete` when all its children are accounted for. With the recovery `repair`, the parent of a
silent child adopts its region: it sends what the child would have sent, goes on trying the child
itself as a leaf, and tells the detector. With `rebroadcast` only the origin acts (see `receipts`).

Rules of this file:
- Every custody ends by its deadline, so nothing here outlives `reliable_deadline_us`.
- A child that was tried twice in vain is reported missing, so that one dead node does not hold a
  receipt up; it is still tried, ever less often, and a better account follows if it turns up.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from snowcast.core.address import Address
from snowcast.core.config import Recovery
from snowcast.core.context import Context
from snowcast.core.custody import NEVER_US, Branch, Custody, Phase
from snowcast.core.forwarding import Forwarder
from snowcast.core.frames import Ack, AckQuery, Data, MessageId
from snowcast.core.member import Member, State
from snowcast.core.timers import HopTimer
from snowcast.core.trees import Assignment, Tree

_Attempt = tuple[MessageId, Tree, int]


class Custodies:
    """The assignments of reliable messages in this node's care."""

    __slots__ = ("_by_attempt", "_context", "_custodies", "_finished", "_forwarder", "_on_account")

    def __init__(
        self,
        context: Context,
        forwarder: Forwarder,
        on_account: Callable[[Custody, Ack, int], None],
    ) -> None:
        self._context = context
        self._forwarder = forwarder
        self._on_account = on_account  # told what became of this node's own messages
        self._custodies: dict[HopTimer, Custody] = {}
        self._by_attempt: dict[_Attempt, list[Custody]] = {}
        self._finished: dict[HopTimer, tuple[Ack, int]] = {}  # and when to forget it

    def open(
        self,
        key: HopTimer,
        data: Data,
        parent: Address | None,
        assignments: tuple[Assignment, ...],
        now_us: int,
    ) -> None:
        """Wait for the children of an assignment; answer `parent`, if this is not the origin."""
        config = self._context.config
        parents = [] if parent is None else [parent]
        custody = Custody(key, data, parents, now_us + config.reliable_deadline_us)
        custody.add(assignments, self._due(now_us))
        self._custodies[key] = custody
        self._by_attempt.setdefault(_attempt(key), []).append(custody)
        if parent is not None and assignments:
            self._context.outbox.send(parent, _received(key))
        if assignments:
            self._context.outbox.set_timer(key, min(custody.due_us, custody.ends_us))
        self._settle(custody, now_us)

    def get(self, key: HopTimer) -> Custody | None:
        """The custody of an assignment, if it is still open."""
        return self._custodies.get(key)

    def close(self, key: HopTimer) -> None:
        """Let go of an assignment."""
        custody = self._custodies.pop(key, None)
        if custody is None:
            return
        siblings = self._by_attempt[_attempt(key)]
        siblings.remove(custody)
        if not siblings:
            del self._by_attempt[_attempt(key)]
        if custody.branches:
            self._context.outbox.cancel_timer(key)
        if custody.reported is not None and not custody.is_origin:
            self._finished[key] = custody.reported, custody.ends_us

    def on_repeat(self, sender: Address, key: HopTimer) -> None:
        """The same assignment again, perhaps from another parent: say how far it is."""
        custody = self._custodies.get(key)
        if custody is None:
            if key in self._finished:
                self._context.outbox.send(sender, self._finished[key][0])
            return
        if sender not in custody.parents and not custody.is_origin:
            custody.parents.append(sender)
        self._context.outbox.send(sender, custody.reported or _received(key))

    def on_query(self, sender: Address, query: AckQuery) -> None:
        """A parent asks after an assignment that it gave; say nothing of any that it did not."""
        key = HopTimer(query.id, query.tree, query.attempt, query.left, query.right)
        custody = self._custodies.get(key)
        if custody is not None and sender in custody.parents:
            self._context.outbox.send(sender, custody.reported or _received(key))
        elif key in self._finished:
            self._context.outbox.send(sender, self._finished[key][0])

    def on_ack(self, sender: Address, ack: Ack, now_us: int) -> None:
        """A child's account of its part.

        Where views differ a child may have two parts of one tree in its care, both from this node,
        and be done with one long before the other.
        """
        for custody in tuple(self._by_attempt.get((ack.id, ack.tree, ack.attempt), ())):
            branch = custody.branches.get(sender)
            if branch is None:
                continue
            if branch.is_adopted:
                branch.finish(1)
            elif not branch.is_answered_by(ack):
                continue
            elif ack.is_complete:
                branch.finish(ack.delivered, ack.missing, ack.unnamed)
            elif branch.phase in (Phase.SENT, Phase.ASKED):
                branch.phase = Phase.HELD
                branch.due_us = self._due(now_us)
            self._settle(custody, now_us)

    def on_hop_timer(self, key: HopTimer, now_us: int) -> None:
        """Look which children are due, and set the timer for the next."""
        custody = self._custodies.get(key)
        if custody is None:
            return
        if now_us >= custody.ends_us:
            if custody.reported is not None or not custody.is_origin:
                self.close(key)  # else the receipt, due now too, tells how far this has come
            return
        for branch in tuple(custody.branches.values()):
            if branch.due_us <= now_us:
                self._overdue(custody, branch, now_us)
        self._settle(custody, now_us)
        if key in self._custodies:
            self._context.outbox.set_timer(key, min(custody.due_us, custody.ends_us))

    def on_unsent(self, peer: Address, data: Data, now_us: int) -> bool:
        """The data could not be sent to a child: do not wait for its hop timeout.

        False if the assignment is not in this node's care, or not any more.
        """
        found = False
        for custody in tuple(self._by_attempt.get((data.id, data.tree, data.attempt), ())):
            branch = custody.branches.get(peer)
            if branch is None:
                continue
            found = True
            if branch.phase is Phase.SENT:
                self._adopt(custody, branch, now_us)
                branch.phase = Phase.ADOPTED
                branch.due_us = self._due(now_us)
                self._settle(custody, now_us)
        return found

    def on_departed(self, member: Member, now_us: int) -> None:
        """A child is gone: what it had not done is ours; it is missing if it was evicted."""
        for custody in tuple(self._custodies.values()):
            branch = custody.branches.get(member.address)
            if branch is None or branch.phase is Phase.DONE:
                continue
            had_it = branch.phase in (Phase.HELD, Phase.ASKED)
            if branch.phase in (Phase.SENT, Phase.HELD, Phase.ASKED):
                if self._context.config.recovery is Recovery.REBROADCAST:
                    continue
                self._adopt(custody, branch, now_us)
            is_missing = member.state is State.EVICTED and not had_it
            branch.finish(int(had_it), (member.address,) if is_missing else ())
            self._settle(custody, now_us)

    def forget_old(self, now_us: int) -> None:
        """Forget the accounts of messages whose deadline has passed."""
        while self._finished:
            key, (_, ends_us) = next(iter(self._finished.items()))
            if ends_us > now_us:
                return
            del self._finished[key]

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"custodies": len(self._custodies), "accounts": len(self._finished)}

    def _overdue(self, custody: Custody, branch: Branch, now_us: int) -> None:
        """A child has been silent for a hop timeout, or is to be tried again."""
        child = branch.assignment.child
        branch.due_us = self._due(now_us)
        match branch.phase:
            case Phase.HELD:
                part = branch.assignment.left, branch.assignment.right
                query = AckQuery(custody.key.id, custody.key.tree, custody.key.attempt, *part)
                self._context.outbox.send(child, query)
                branch.phase = Phase.ASKED
            case Phase.SENT:
                self._context.on_silent(child, now_us)
                self._adopt(custody, branch, now_us)
                branch.phase = Phase.ADOPTED
                self._send_alone(custody, branch)
            case Phase.ASKED:
                self._context.on_silent(child, now_us)
                self._adopt(custody, branch, now_us)
                branch.finish(1)  # it has the message, if not the strength to pass it on
            case Phase.ADOPTED | Phase.LOST:
                branch.phase = Phase.LOST
                branch.missing = (child,)
                branch.tries += 1
                branch.due_us = now_us + (self._context.config.hop_timeout_us << branch.tries)
                self._send_alone(custody, branch)
            case Phase.DONE:
                raise AssertionError("nothing is due from a child that is done")

    def _adopt(self, custody: Custody, branch: Branch, now_us: int) -> None:
        """Send what the child would have sent, and wait for those children instead."""
        branch.is_adopted = True
        if branch.assignment.is_leaf:
            return
        child, data = branch.assignment.child, custody.data
        region = branch.assignment.region
        assignments = self._forwarder.forward(data, region, child, data.hop + 1)
        custody.add(assignments, self._due(now_us))

    def _send_alone(self, custody: Custody, branch: Branch) -> None:
        leaf = msgspec.structs.replace(
            custody.data, left=None, right=None, hop=custody.data.hop + 1
        )
        self._context.outbox.send(branch.assignment.child, leaf)

    def _settle(self, custody: Custody, now_us: int) -> None:
        """Give an account if there is a new one to give; close what is over."""
        if not custody.is_accounted:
            return
        account = custody.account(self._context.config.missing_names_max)
        if account != custody.reported:
            custody.reported = account
            for parent in custody.parents:
                self._context.outbox.send(parent, account)
            if custody.is_origin:
                self._on_account(custody, account, now_us)
        if custody.is_over:
            self.close(custody.key)

    def _due(self, now_us: int) -> int:
        if self._context.config.recovery is Recovery.REBROADCAST:
            return NEVER_US
        return now_us + self._context.config.hop_timeout_us


def _attempt(key: HopTimer) -> _Attempt:
    return key.id, key.tree, key.attempt


def _received(key: HopTimer) -> Ack:
    return Ack(key.id, key.tree, key.attempt, False, left=key.left, right=key.right)
