"""Settings: the defaults that the documents promise, and errors that name the key."""

from __future__ import annotations

import re

import msgspec
import pytest

from snowcast.core.config import HOUR, SECOND, Config, Recovery
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode

DURATIONS = [name for name in Config.__struct_fields__ if name.endswith("_us")]
COUNTS = ["health_max", "neighbour_probe_every", "seen_max", "suspicion_max_factor"]


def test_the_defaults_are_those_of_the_design() -> None:
    config = Config()
    assert (config.cluster, config.fanout, config.recovery) == ("snowcast", 4, Recovery.REPAIR)
    assert (config.probe_interval_us, config.probe_timeout_us) == (SECOND, SECOND // 2)
    assert (config.indirect_probes, config.health_max, config.suspicion_max_factor) == (3, 8, 6)
    assert (config.suspicion_min_us, config.anti_entropy_us) == (5 * SECOND, 15 * SECOND)
    assert (config.tombstone_us, config.lifeguard) == (24 * HOUR, True)


def test_the_paper_differs_in_how_it_recovers() -> None:
    changed = {
        name: value
        for name, value in msgspec.structs.asdict(Config.paper()).items()
        if value != getattr(Config(), name)
    }
    assert changed == {"recovery": Recovery.REBROADCAST}


@pytest.mark.parametrize(
    ("anti_entropy_us", "reliable_deadline_us", "linger_us"),
    [(15 * SECOND, 30 * SECOND, 30 * SECOND), (20 * SECOND, 30 * SECOND, 40 * SECOND)],
)
def test_a_leaver_lingers_for_two_rounds_of_anti_entropy_or_the_deadline(
    anti_entropy_us: int, reliable_deadline_us: int, linger_us: int
) -> None:
    config = Config(anti_entropy_us=anti_entropy_us, reliable_deadline_us=reliable_deadline_us)
    assert config.linger_us == linger_us


def test_announcements_travel_along_both_trees() -> None:
    assert Config().announcement_mode is Mode.COLORING


@pytest.mark.parametrize("name", DURATIONS + COUNTS)
@pytest.mark.parametrize("value", [0, -1])
def test_a_number_that_is_too_small_is_an_error_that_names_it(name: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"{name} must be at least 1, not {value}"):
        Config(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["confirmations", "indirect_probes", "missing_names_max"])
def test_some_numbers_may_be_zero_but_not_less(name: str) -> None:
    assert getattr(Config(**{name: 0}), name) == 0  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{name} must be at least 0, not -1"):
        Config(**{name: -1})  # type: ignore[arg-type]


@pytest.mark.parametrize("fanout", [-2, 0, 3, 258])
def test_a_fanout_that_the_paper_does_not_allow_is_an_error_that_names_it(fanout: int) -> None:
    with pytest.raises(UsageError, match=f"fanout must be even .*, not {fanout}"):
        Config(fanout=fanout)


def test_a_ping_must_time_out_before_the_next_one() -> None:
    message = "probe_timeout_us must be less than probe_interval_us"
    with pytest.raises(UsageError, match=re.escape(message)):
        Config(probe_interval_us=SECOND, probe_timeout_us=SECOND)


def test_a_setting_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(TypeError, match="fan_out"):
        Config(fan_out=4)  # type: ignore[call-arg]


def test_lifeguard_can_be_switched_off() -> None:
    assert not Config(lifeguard=False).lifeguard
