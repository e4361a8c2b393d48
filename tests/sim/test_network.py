"""The network: rules in order, the first final verdict counts, latency is the last word."""

from __future__ import annotations

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.cluster import address_of
from snowcast.sim.network import Network
from snowcast.sim.rules import (
    DROP,
    PASS,
    Deliver,
    Flight,
    Latency,
    Later,
    Loss,
    Refuse,
    Rule,
    Verdict,
)
from support.puppets import flight


def saying(verdict: Verdict) -> Rule:
    """A rule that always says the same."""

    def rule(flight: Flight) -> Verdict:
        return verdict

    return rule


def verdict(*rules: Rule) -> Deliver | Refuse | None:
    return Network(1, [*rules, Latency.fixed(100)]).verdict(flight())


def test_what_no_rule_decides_takes_the_latency() -> None:
    assert verdict() == verdict(saying(PASS)) == Deliver(100)


def test_the_first_final_verdict_counts() -> None:
    assert verdict(saying(Deliver(5)), saying(DROP)) == Deliver(5)
    assert verdict(saying(DROP), saying(Deliver(5))) is None
    assert verdict(saying(PASS), saying(Refuse(9)), saying(DROP)) == Refuse(9)


def test_delays_add_up_before_a_final_verdict() -> None:
    assert verdict(saying(Later(20)), saying(Later(3))) == Deliver(123)
    assert verdict(saying(Later(20)), saying(Deliver(5))) == Deliver(25)
    assert verdict(saying(Later(20)), saying(DROP)) is None


def test_without_a_latency_of_its_own_it_is_a_data_centre() -> None:
    found = Network(1).verdict(flight())
    assert isinstance(found, Deliver)
    assert 700 < found.delay_us < 6_000


def test_a_latency_for_some_nodes_is_a_rule_like_any_other() -> None:
    far = Latency.fixed(50_000).scoped([address_of(0)], [address_of(1)])
    network = Network(1, [far])
    assert network.rules == [far]
    assert network.verdict(flight(0, 1)) == Deliver(50_000)
    assert network.verdict(flight(0, 2)) != Deliver(50_000)


def test_rules_come_and_go() -> None:
    network, rule = Network(1, [Latency.fixed(100)]), saying(DROP)
    network.install(rule)
    assert network.verdict(flight()) is None
    with pytest.raises(UsageError, match="installed already"):
        network.install(rule)
    network.uninstall(rule)
    assert network.verdict(flight()) == Deliver(100)
    with pytest.raises(UsageError, match="not installed"):
        network.uninstall(rule)


def fates(seed: int, *losses: Loss) -> list[list[bool]]:
    """Which of 50 datagrams pass each loss, the losses being asked in turn."""
    Network(seed, losses)
    sent = flight(is_datagram=True)
    asked = [[loss(sent) is PASS for loss in losses] for _ in range(50)]
    return [list(column) for column in zip(*asked, strict=True)]


def test_each_rule_draws_from_a_stream_of_its_own() -> None:
    alone, together = fates(1, Loss(0.5)), fates(1, Loss(0.5), Loss(0.5))
    assert together[0] == alone[0]
    assert together[1] != alone[0]
    assert fates(2, Loss(0.5)) != alone
