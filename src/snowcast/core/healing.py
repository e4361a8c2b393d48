"""Healing: find those again who were lost, so that the halves of a partition become one.

Paper, Membership Maintenance, is silent on it; DESIGN 6. Each node compares views, now and then,
with a seed that is not in its view or a member that was evicted. If one answers, the two are a
bridge: each checks with its own side what the other believes of it, and each side's refutations
and members are told to the other in a second exchange (`anti_entropy`).
"""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.anti_entropy import AntiEntropy
from snowcast.core.context import Context
from snowcast.core.member import State
from snowcast.core.timers import HealTimer


class Healing:
    """Looks for seeds and evicted members that are there again."""

    def __init__(self, context: Context, anti_entropy: AntiEntropy) -> None:
        self._context = context
        self._anti_entropy = anti_entropy
        self._seeds: tuple[Address, ...] = ()
        self._tried: Address | None = None
        self._has_answered = False

    def start(self, seeds: tuple[Address, ...], now_us: int) -> None:
        """Remember the seeds for ever."""
        self._seeds = seeds
        first_us = self._context.rng.randrange(self._context.config.heal_us)
        self._context.outbox.set_timer(HealTimer(), now_us + first_us)

    def stop(self) -> None:
        """Look for nobody any more."""
        self._context.outbox.cancel_timer(HealTimer())

    def on_answer(self, sender: Address, now_us: int) -> None:
        """A node compares views with this one; if it is the one that was lost, look again soon."""
        if sender == self._tried and not self._has_answered:
            self._has_answered = True
            soon_us = 2 * self._context.config.probe_interval_us
            self._context.outbox.set_timer(HealTimer(), now_us + soon_us)

    def on_timer(self, now_us: int, is_joining: bool) -> None:
        """Try one of the lost, the same again if it has answered and is still not back.

        A node that is still joining asks its seeds in its own way.
        """
        self._context.outbox.set_timer(HealTimer(), now_us + self._context.config.heal_us)
        lost = [] if is_joining else self._lost()
        again = self._has_answered and self._tried in lost
        self._has_answered = False
        if not lost:
            self._tried = None
            return
        if not again:
            self._tried = self._context.rng.choice(lost)
        assert self._tried is not None
        self._anti_entropy.compare_with(self._tried)

    def _lost(self) -> list[Address]:
        view = self._context.view
        seeds = [seed for seed in self._seeds if seed not in view.ring]
        evicted = [m.address for m in view.tombstones() if m.state is State.EVICTED]
        return seeds + evicted
