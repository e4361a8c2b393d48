"""What lies between the nodes: the rules, in order, and the latency when they all pass."""

from __future__ import annotations

from collections.abc import Sequence

from snowcast.core.errors import UsageError
from snowcast.sim.latency import Latency
from snowcast.sim.seeds import stream
from snowcast.sim.verdicts import DROP, PASS, Deliver, Flight, Later, Refuse, Rule, Seeded


class Network:
    """Asks the rules. What no rule decides takes the time that `latency` draws."""

    def __init__(self, seed: int, rules: Sequence[Rule] = ()) -> None:
        self._seed = seed
        self._made = 0
        self.rules: list[Rule] = []
        self.latency = Latency.data_centre()
        if rules and isinstance(rules[-1], Latency) and rules[-1].is_for_all:
            self.latency, rules = rules[-1], rules[:-1]
        self.latency.seed(stream(seed, "latency"))
        for rule in rules:
            self.install(rule)

    def install(self, rule: Rule) -> None:
        """Ask `rule` too from now on, after those that are there and before the latency."""
        if any(rule is other for other in self.rules):
            raise UsageError("this rule is installed already")
        if isinstance(rule, Seeded):
            self._made += 1
            rule.seed(stream(self._seed, "rule", type(rule).__name__, self._made))
        self.rules.append(rule)

    def uninstall(self, rule: Rule) -> None:
        """Do not ask `rule` any more."""
        for index, other in enumerate(self.rules):
            if other is rule:
                del self.rules[index]
                return
        raise UsageError("this rule is not installed")

    def verdict(self, flight: Flight) -> Deliver | Refuse | None:
        """What becomes of a frame; None if it is lost."""
        extra_us = 0
        for rule in self.rules:
            verdict = rule(flight)
            if verdict is PASS:
                continue
            if verdict is DROP:
                return None
            if isinstance(verdict, Later):
                extra_us += verdict.extra_us
            elif isinstance(verdict, Deliver):
                return Deliver(extra_us + verdict.delay_us)
            elif isinstance(verdict, Refuse):
                return verdict
        return Deliver(extra_us + self.latency.draw())
