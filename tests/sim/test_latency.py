"""Distributions of latency: their shape is in their quantiles, so it is tested without drawing."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.cluster import address_of
from snowcast.sim.latency import Latency, quantile
from snowcast.sim.verdicts import PASS, Deliver
from support.puppets import flight


def seeded(latency: Latency) -> Latency:
    latency.seed(Random(1))
    return latency


def test_fixed_is_always_the_same() -> None:
    latency = seeded(Latency.fixed(700))
    assert [latency(flight()) for _ in range(3)] == [Deliver(700)] * 3


def test_uniform_reaches_from_end_to_end_evenly() -> None:
    quantiles = Latency.uniform(10_000, 200_000).quantiles
    assert (quantiles[0], quantiles[-1]) == (10_006, 199_994)
    assert quantiles[len(quantiles) // 4] == 57_506
    assert mean(quantiles) == pytest.approx(105_000, abs=1)


def test_lognormal_has_its_median_and_one_deviation_up_where_they_should_be() -> None:
    quantiles = Latency.lognormal(1_000, 0.5).quantiles
    assert quantiles[len(quantiles) // 2] == 1_000
    assert quantiles[round(len(quantiles) * 0.8413447)] == pytest.approx(1_649, abs=2)


def test_the_data_centre_is_a_narrow_bell_with_a_rare_tail() -> None:
    quantiles = Latency.data_centre().quantiles
    usual = [delay for delay in quantiles if delay < 1_000]
    tail = [delay for delay in quantiles if delay >= 1_000]
    assert len(usual) / len(quantiles) == pytest.approx(0.995, abs=1e-4)
    assert mean(usual) == pytest.approx(800, abs=1)
    assert usual[round(len(usual) * 0.8413447)] == pytest.approx(815, abs=1)
    assert 1_050 <= min(tail) < 1_100
    assert 5_000 < max(tail) <= 5_800


def test_draws_follow_the_quantiles_and_the_seed() -> None:
    first, second = seeded(Latency.data_centre()), seeded(Latency.data_centre())
    drawn = [first.draw() for _ in range(1_000)]
    assert drawn == [second.draw() for _ in range(1_000)]
    assert mean(drawn) == pytest.approx(mean(first.quantiles), abs=20)


def test_equal_delays_are_one_object() -> None:
    quantiles = Latency.uniform(1_000, 1_100).quantiles
    assert len(set(map(id, quantiles))) == len(set(quantiles)) == 101


def test_between_two_groups_it_leaves_other_flights_to_the_next_rule() -> None:
    far = Latency.fixed(50_000).scoped([address_of(0)], [address_of(1)])
    assert far(flight(0, 1)) == far(flight(1, 0)) == Deliver(50_000)
    assert far(flight(0, 2)) is PASS
    assert not far.is_for_all


def test_quantiles_must_be_a_power_of_two_and_not_in_the_past() -> None:
    with pytest.raises(UsageError, match="power of two"):
        Latency((1, 2, 3))
    with pytest.raises(UsageError, match="power of two"):
        Latency(())
    with pytest.raises(UsageError, match="before it was sent"):
        Latency.fixed(-1)


def test_what_was_measured_is_drawn_evenly_between_its_points() -> None:
    points = [(0.0, 1.0), (0.5, 2.0), (0.99, 2.0), (1.0, 10.0)]
    assert [quantile(points, share) for share in (0, 0.25, 0.5, 0.7, 0.995, 1)] == [
        1.0,
        1.5,
        2.0,
        2.0,
        6.0,
        10.0,
    ]
    quantiles = Latency.measured(points).quantiles
    assert (min(quantiles), max(quantiles)) == (1_000, 9_976)
    assert quantiles[len(quantiles) // 4] == pytest.approx(1_500, abs=1)
    assert mean(delay > 2_000 for delay in quantiles) == pytest.approx(0.01, abs=1e-4)
