"""Profiles of networks: literal probes in, quantiles and losses out, and back into a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from snowcast.cli.main import main
from snowcast.core.errors import UsageError
from snowcast.pipeline.calibrate import (
    HEARD_US,
    SHARES,
    Profile,
    calibrate,
    counts_of,
    describe,
    heard,
    one_way_loss,
    quantiles_of,
    ways,
)
from snowcast.pipeline.schemas import schema_of
from snowcast.sim.scenario import load

SCENARIO = """\
duration_s = 60
[cluster]
nodes = 16
[network]
"""
PROFILE = Profile(((0.0, 1.5), (0.01, 1.6), (0.5, 2.0), (0.99, 3.0), (1.0, 4.25)), 0.0125, 7, 3)


def probes(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    """Of node, peer, when, round trip, offset and stream; what is not given is null."""
    whole = [("r", *row, *[None] * (6 - len(row))) for row in rows]
    return spark.createDataFrame(whole, schema_of("probes"))


def test_a_probe_tells_how_long_each_way_took(spark: SparkSession) -> None:
    rows = probes(spark, ("a", "b", 1, 100, 20), ("b", "a", 2, 10, -8), ("a", "c", 3))
    assert sorted(row.way_us for row in ways(rows).collect()) == [0, 13, 30, 70]


def test_quantiles_are_exact(spark: SparkSession) -> None:
    given = spark.createDataFrame([(float(n),) for n in range(1_001)], "way_us double")
    (row,) = quantiles_of(given).collect()
    assert row.quantiles_us == pytest.approx([1_000 * share for share in SHARES])
    assert (row.longest_us, row.ways) == (1_000, 1_001)


def test_who_is_not_heard_of_at_the_time_has_lost_nothing(spark: SparkSession) -> None:
    kept = [
        ("a", "b", 1, 9, 0),  # a and b are there at first
        ("a", "b", 2),
        ("b", "a", 3),
    ]
    gone = [
        ("a", "c", 4),  # c never was
        ("b", "a", HEARD_US + 1),  # later b alone is there
        ("b", "c", 5),
    ]
    later = ("b", "d", HEARD_US + 2, 9, 0)
    found = heard(probes(spark, *kept, *gone, later)).collect()
    assert sorted(row.at_us for row in found) == [1, 2, 3, HEARD_US + 2]


def test_counts_are_of_what_was_asked(spark: SparkSession) -> None:
    rows = probes(spark, ("a", "b", 1, 9, 0), ("a", "b", 2), ("b", "a", 3))
    assert [tuple(row) for row in counts_of(rows).collect()] == [(3, 2, 2)]


def test_a_ping_and_its_answer_can_be_lost_each() -> None:
    assert one_way_loss(100, 0) == 0
    assert one_way_loss(100, 75) == pytest.approx(0.5)
    assert one_way_loss(10_000, 975) == pytest.approx(0.05, abs=1e-6)
    assert one_way_loss(0, 0) == 0


def test_streams_say_nothing_and_without_answers_there_is_no_profile(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match="there is no probe with an answer"):
        calibrate(probes(spark, ("a", "b", 1), ("a", "b", 2, 9, 0, True)))


def test_a_profile_is_a_table_that_a_scenario_can_take(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(PROFILE.text())
    (tmp_path / "mine.toml").write_text('[network]\nprofile = "ours.toml"\n')
    network = load(tmp_path / "mine.toml").network
    assert network.latency_quantiles == PROFILE.quantiles
    assert network.loss == PROFILE.loss
    assert describe(PROFILE) == (
        "7 probes between 3 nodes: one way 1% 1.600 ms, 50% 2.000 ms, 99% 3.000 ms, "
        "100% 4.250 ms; 1.250% lost"
    )


def test_from_traces_with_wrong_clocks_the_network_comes_back(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = 'latency = "uniform"\nlatency_ms = [2, 6]\nloss = 0.05\nclock_skew_ms = 50\n'
    scenario, profile = tmp_path / "real.toml", tmp_path / "ours.toml"
    scenario.write_text(SCENARIO + network)
    trace, runs = str(tmp_path / "trace"), str(tmp_path / "runs")
    assert main(["sim", "run", str(scenario), "--seed", "5", "--out", trace]) == 0
    assert main(["pipeline", "ingest", trace, "--out", runs]) == 0
    assert main(["pipeline", "calibrate", runs, "--out", str(profile)]) == 0
    assert "between 16 nodes: one way 1% " in capsys.readouterr().out

    scenario.write_text(SCENARIO + 'profile = "ours.toml"\n')
    found = load(scenario).network
    assert found.loss == pytest.approx(0.05, abs=0.02)
    for share, ms in found.latency_quantiles:
        # Clocks are known to a few tenths of a millisecond where frames take from 2 to 6.
        assert ms == pytest.approx(2 + 4 * share, abs=0.7)
    assert main(["sim", "run", str(scenario), "--seed", "5"]) == 0
