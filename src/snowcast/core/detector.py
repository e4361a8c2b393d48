"""The failure detector: every member is pinged in turn, and asked after through others.

Paper, Silent Leave: SWIM (Das et al. 2002) with Lifeguard. A ping unanswered goes to a few helpers
and, in case datagrams are what is broken, over a stream. Whoever answers none of it is suspect.

One ping in `neighbour_probe_every` goes to the right neighbour on the ring. Shuffled rounds alone
leave the first probe of a dead node to chance, one second on average but with a long tail; with
the neighbour it takes three periods at most.
"""

from __future__ import annotations

import msgspec

from snowcast.core.address import Address
from snowcast.core.context import Context
from snowcast.core.frames import Nack, Ping, PingRequest, Pong, Records
from snowcast.core.health import Health
from snowcast.core.member import Member, State
from snowcast.core.membership import Membership
from snowcast.core.rounds import Rounds
from snowcast.core.suspicion import Suspicions
from snowcast.core.timers import PongTimer, ProbeEndTimer, ProbeTimer, RelayTimer

SUSPECT = State.SUSPECT  # looked up once: an enum is slow to give its members


class _Probe(msgspec.Struct):
    """One member being probed."""

    target: Address
    incarnation: int
    accused: int  # the incarnation that the target is told to refute, or 0
    ends_us: int
    is_hearsay: bool  # somebody else's eviction is being checked
    pong_timer: PongTimer
    has_answered: bool = False  # hearsay only: it lives, and its refutation is on the way
    is_ending: bool = False  # the wait for a pong is over
    helpers: tuple[Address, ...] = ()
    witnesses: frozenset[Address] = frozenset()


class Detector:
    """Probes members, answers probes, and helps others with theirs."""

    __slots__ = (
        "_context",
        "_membership",
        "_probed",
        "_probes",
        "_relays",
        "_rounds",
        "_sequence",
        "_suspicions",
        "_turn",
        "health",
    )

    def __init__(self, context: Context, membership: Membership, suspicions: Suspicions) -> None:
        self._context = context
        self._membership = membership
        self._suspicions = suspicions
        self.health = Health(context.config)
        self._sequence = 0
        self._turn = 0
        self._rounds = Rounds(context.rng)
        self._probes: dict[int, _Probe] = {}
        self._probed: dict[Address, int] = {}  # by target, the key of its probe
        # Who asked, under which number, for whom.
        self._relays: dict[int, tuple[Address, int, Address]] = {}
        membership.has_accused = self._has_accused

    def start(self, now_us: int) -> None:
        """Begin probing at a random moment of the first period."""
        interval_us = self._context.config.probe_interval_us
        first_us = now_us + self._context.rng.randrange(interval_us)
        self._context.outbox.set_timer(ProbeTimer(), first_us)

    def stop(self) -> None:
        """Probe nobody any more; pings are still answered."""
        self._context.outbox.cancel_timer(ProbeTimer())

    def on_probe_timer(self, now_us: int) -> None:
        """Probe the next member."""
        interval_us = self.health.scale(self._context.config.probe_interval_us)
        self._context.outbox.set_timer(ProbeTimer(), now_us + interval_us)
        place = self._next_turn()
        if place is not None:
            target, incarnation, state = self._context.view.standing(place)
            self._begin(target, incarnation, state, False, now_us)

    def probe(self, target: Address, now_us: int) -> None:
        """Probe a member that seems silent, out of turn, unless that is under way."""
        member = self._context.view.get(target)
        if member is None or not member.is_present or target == self._context.me:
            return
        self._begin(target, member.incarnation, member.state, False, now_us)

    def check_eviction(self, evicted: Member, now_us: int) -> None:
        """Anti-entropy says that a member this view holds was evicted: ask the member first.

        An eviction that was missed and one from the other side of a healed partition look alike.
        """
        self._begin(evicted.address, evicted.incarnation, evicted.state, True, now_us)

    def on_ping(self, sender: Address, ping: Ping, now_us: int) -> None:
        """Answer; if accused, refute, and tell the sender."""
        outbox = self._context.outbox
        pong = Pong(ping.sequence, now_us, self._context.view.digest)
        if not ping.accused:
            outbox.send_datagram(sender, pong)
            return
        if self._membership.refute(ping.accused, now_us):
            self.health.adjust(1)
        outbox.send(sender, pong)
        outbox.send(sender, Records((self._membership.me,)))

    def on_pong(self, sender: Address, pong: Pong) -> None:
        """A member lives: the one that was probed, or one that was probed for another.

        Sequences can be guessed: only the member itself, or a helper that was asked, says so.
        """
        relay = self._relays.get(pong.sequence)
        if relay is not None:
            requester, sequence, target = relay
            if sender != target:
                return
            del self._relays[pong.sequence]
            self._context.outbox.cancel_timer(RelayTimer(pong.sequence))
            forwarded = msgspec.structs.replace(pong, sequence=sequence)
            self._context.outbox.send_datagram(requester, forwarded)
            return
        probe = self._probes.get(pong.sequence)
        if probe is None or probe.has_answered:
            return
        if sender != probe.target and sender not in probe.helpers:
            return
        self.health.adjust(-1)
        if not probe.is_hearsay:
            self._end(pong.sequence)
            return
        probe.has_answered = True
        if not probe.is_ending:
            self._context.outbox.cancel_timer(probe.pong_timer)
            self._await_end(pong.sequence, probe)

    def on_ping_request(self, sender: Address, request: PingRequest, now_us: int) -> None:
        """Ping for another node; if there is no answer in time, tell it that we at least live."""
        sequence = self._next_sequence()
        self._relays[sequence] = sender, request.sequence, request.target
        ping = Ping(sequence, request.accused)
        self._context.outbox.send_datagram(request.target, ping)
        # Early enough for the nack to arrive within the period of whoever asked.
        wait_us = self._context.config.probe_timeout_us * 4 // 5
        self._context.outbox.set_timer(RelayTimer(sequence), now_us + wait_us)

    def on_nack(self, sender: Address, nack: Nack) -> None:
        """A helper lives but had no answer either."""
        probe = self._probes.get(nack.sequence)
        if probe is not None and sender in probe.helpers:
            probe.witnesses |= {sender}

    def on_pong_timer(self, sequence: int, now_us: int) -> None:
        """No answer to a ping: ask helpers, and try a stream."""
        probe = self._probes.get(sequence)
        if probe is None:
            return
        if probe.target not in self._context.view.ring:
            self._end(sequence)  # evicted meanwhile, or gone
            return
        probe.helpers = self._pick_helpers(self._context.config.indirect_probes, probe.target)
        outbox = self._context.outbox
        for helper in probe.helpers:
            outbox.send_datagram(helper, PingRequest(sequence, probe.target, probe.accused))
        outbox.send(probe.target, Ping(sequence, probe.accused))
        self._await_end(sequence, probe)

    def on_probe_end_timer(self, sequence: int, now_us: int) -> None:
        """Nobody could reach the target, or nobody said so: who is it that is unwell?"""
        probe = self._end(sequence)
        if probe is None or probe.has_answered:
            return
        missed = len(probe.helpers) - len(probe.witnesses)
        self.health.adjust(missed if probe.helpers else 1)
        member = self._context.view.get(probe.target)
        if member is None or member.incarnation > probe.incarnation or not member.is_present:
            return  # it has refuted, restarted or gone since: this probe says nothing about it
        if not probe.is_hearsay:
            self._suspicions.accuse(member, probe.witnesses, now_us)
        else:
            evicted = msgspec.structs.replace(
                member, incarnation=probe.incarnation, state=State.EVICTED
            )
            self._membership.learn((evicted,), self._context.me, now_us)

    def on_relay_timer(self, sequence: int) -> None:
        """The target of somebody's ping request has not answered."""
        relay = self._relays.pop(sequence, None)
        if relay is not None:
            requester, original, _ = relay
            self._context.outbox.send_datagram(requester, Nack(original))

    def sizes(self) -> dict[str, int]:
        """What is remembered."""
        return {"probes": len(self._probes), "relays": len(self._relays)}

    def _has_accused(self, member: Address) -> bool:
        """Whether `member`, should it refute, refutes what this node has told it."""
        sequence = self._probed.get(member)
        is_checked = sequence is not None and self._probes[sequence].is_hearsay
        return is_checked or self._suspicions.is_accuser_of(member)

    def _begin(
        self, target: Address, incarnation: int, state: State, is_hearsay: bool, now_us: int
    ) -> None:
        if target in self._probed:
            return
        config, outbox = self._context.config, self._context.outbox
        sequence = self._next_sequence()
        ends_us = now_us + self.health.scale(config.probe_interval_us)
        is_accused = is_hearsay or (state is SUSPECT and config.lifeguard)
        accused = incarnation if is_accused else 0
        pong_timer = PongTimer(sequence)
        self._probes[sequence] = _Probe(
            target, incarnation, accused, ends_us, is_hearsay, pong_timer
        )
        self._probed[target] = sequence
        if accused:  # let it refute, and let that not get lost
            outbox.send(target, Ping(sequence, accused))
        else:
            outbox.send_datagram(target, Ping(sequence))
        outbox.set_timer(pong_timer, now_us + self.health.scale(config.probe_timeout_us))

    def _await_end(self, sequence: int, probe: _Probe) -> None:
        probe.is_ending = True
        self._context.outbox.set_timer(ProbeEndTimer(sequence), probe.ends_us)

    def _end(self, sequence: int) -> _Probe | None:
        probe = self._probes.pop(sequence, None)
        if probe is not None:
            del self._probed[probe.target]
            self._context.outbox.cancel_timer(probe.pong_timer)
            if probe.is_ending:
                self._context.outbox.cancel_timer(ProbeEndTimer(sequence))
        return probe

    def _next_turn(self) -> int | None:
        """The place on the ring of whoever is to be probed next; None if nobody else is there."""
        ring, me = self._context.view.ring, self._context.me
        if len(ring) < 2:
            return None
        self._turn += 1
        if self._turn % self._context.config.neighbour_probe_every == 0:
            return self._rounds.neighbour(ring, me)
        return self._rounds.next(ring, me)

    def _pick_helpers(self, count: int, target: Address) -> tuple[Address, ...]:
        ring, me = self._context.view.ring, self._context.me
        drawn = self._context.rng.sample(range(len(ring)), min(len(ring), count + 2))
        helpers = [ring[index] for index in drawn]
        return tuple([helper for helper in helpers if helper not in (me, target)][:count])

    def _next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence
