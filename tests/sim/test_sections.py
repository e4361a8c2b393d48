"""The tables of a scenario file: what they mean, and what they refuse."""

import msgspec
import pytest

from snowcast.core.config import Config, Recovery
from snowcast.core.errors import UsageError
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Mode
from snowcast.sim.sections import (
    BreakdownSection,
    ChurnSection,
    ClusterSection,
    NetworkSection,
    PausesSection,
    ProcessingSection,
    WorkloadSection,
)


def test_the_defaults_are_the_papers_cluster_in_the_default_configuration() -> None:
    cluster = ClusterSection()

    assert (cluster.nodes, cluster.fanout) == (500, 4)
    assert cluster.settings() == Config()


def test_a_cluster_hands_its_settings_to_every_node() -> None:
    cluster = ClusterSection(
        fanout=2,
        ring_order=RingOrder.HASHED,
        recovery=Recovery.REBROADCAST,
        lifeguard=False,
        config={"anti_entropy_us": 4_000_000},
    )

    assert cluster.settings() == Config(
        fanout=2,
        ring_order=RingOrder.HASHED,
        recovery=Recovery.REBROADCAST,
        lifeguard=False,
        anti_entropy_us=4_000_000,
    )


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"anti_entropy": 4}, "no setting 'anti_entropy'; allowed: cluster, hop_timeout_us"),
        ({"fanout": 4}, "no setting 'fanout'; allowed"),
        ({"anti_entropy_us": -1}, "anti_entropy_us must be "),
        ({"anti_entropy_us": "soon"}, "config.anti_entropy_us: Expected `int`, got `str`"),
    ],
)
def test_a_setting_that_no_node_has_is_refused(config: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ClusterSection(config=config)


def test_without_delays_and_stragglers_no_time_is_spent() -> None:
    assert not ProcessingSection().is_on
    assert ProcessingSection(delay_ms=(10, 200)).is_on


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: ProcessingSection(delay_ms=(200, 10)), "delay_ms must be"),
        (lambda: NetworkSection(latency_ms=(-1, 1)), "latency_ms must be"),
        (lambda: PausesSection(gap_s=(5, 1)), "gap_s must be"),
        (lambda: PausesSection(share=0.1), "until_s must be after start_s, 1"),
        (lambda: ChurnSection(joins_per_s=1), "until_s must be after start_s, 1"),
        (lambda: ChurnSection(every_messages=1, leaves_per_s=1), "every_messages: not together"),
        (lambda: ChurnSection(nodes_min=9, nodes_max=8), "nodes_min must be at most"),
    ],
)
def test_values_that_contradict_each_other_are_refused(make, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()


def test_messages_come_at_a_fixed_pace() -> None:
    workload = WorkloadSection(start_s=2, interval_ms=250)

    assert [workload.at_us(number) for number in (0, 1, 4)] == [2_000_000, 2_250_000, 3_000_000]


def test_a_message_travels_as_the_protocol_does_unless_the_scenario_says_else() -> None:
    assert WorkloadSection().modes(Mode.COLORING) == [Mode.COLORING]
    assert WorkloadSection(mode="standard").modes(Mode.COLORING) == [Mode.STANDARD]
    assert WorkloadSection(mode="random").modes(Mode.COLORING) == list(Mode)


def test_nothing_happens_unless_it_is_asked_for() -> None:
    assert WorkloadSection().messages == 0
    assert ChurnSection().every_messages == 0
    assert BreakdownSection().every_messages == 0
    assert PausesSection().share == 0


def test_tables_know_their_keys() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `node`"):
        msgspec.convert({"node": 3}, ClusterSection)


@pytest.mark.parametrize(
    ("quantiles", "complaint"),
    [
        ((), "needs pairs from share 0 to share 1"),
        (((0, 1),), "needs pairs from share 0 to share 1"),
        (((0, 1), (0.5, 2)), "needs pairs from share 0 to share 1"),
        (((0, 1), (0, 2), (1, 3)), "each share must be above the one before"),
        (((0, 1), (0.5, 3), (1, 2)), "0 or more, and never fall"),
        (((0, -1), (1, 2)), "0 or more, and never fall"),
    ],
)
def test_quantiles_rise_from_the_least_to_the_most(
    quantiles: tuple[tuple[float, float], ...], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        NetworkSection(latency="measured", latency_quantiles=quantiles)
