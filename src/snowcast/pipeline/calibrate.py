"""Calibrate: what the probes of real nodes say of their network, as a profile for the simulator.

The paper measured 20 servers of one data centre and set the delays of its 500 nodes by that. A
profile is this step for any network: quantiles of how long a frame is under way, and how many
datagrams are lost. A scenario takes it by `network.profile`.

Rules of this file:
- A probe tells two ways, not half of both: once clocks are set right, what is left of its offset
  says how much longer one way took. Half of a round trip would hide most of the spread.
- A ping that had no answer counts as lost only if both ends were heard of at about that time: the
  dead, and those who are cut off, lose nothing.
- What passes the driver is a row for each table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError
from snowcast.trace.files import write_whole

SHARES = (0.0, 0.001, 0.01, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95, 0.99, 0.995, 0.999)
"""The quantiles of a profile; and the longest, as share 1."""

HEARD_US = 10_000_000
"""Who has no answer for so long, with a probe a second, is dead or cut off."""

US_PER_MS = 1_000


@dataclass(frozen=True)
class Profile:
    """A network, as it was measured."""

    quantiles: tuple[tuple[float, float], ...]
    """Pairs of a share of all ways, and the milliseconds that these take at most."""
    loss: float
    """Of datagrams, one way."""
    probes: int
    """How many had an answer."""
    nodes: int
    """Between how many."""

    def text(self) -> str:
        """As TOML, with where it comes from."""
        pairs = ", ".join(f"[{share:g}, {ms:.3f}]" for share, ms in self.quantiles)
        return (
            f"# Measured by `snowcast pipeline calibrate`: {self.probes} probes between "
            f"{self.nodes} nodes.\n"
            f'# A scenario takes it by profile = "this file" in its [network].\n'
            f"[network]\n"
            f'latency = "measured"\n'
            f"latency_quantiles = [{pairs}]\n"
            f"loss = {self.loss:.6g}\n"
        )


def calibrate(probes: DataFrame) -> Profile:
    """The profile, from the probes of datasets; UsageError if nothing was answered."""
    by_datagram = probes.where(~F.coalesce("stream", F.lit(False)))
    times = quantiles_of(ways(by_datagram)).first()
    counts = counts_of(heard(by_datagram)).first()
    assert times is not None, "an aggregate has a row"
    assert counts is not None, "an aggregate has a row"
    if times.longest_us is None:
        raise UsageError("there is no probe with an answer: nothing to calibrate by")
    shares = [*SHARES, 1.0]
    all_ms = [us / US_PER_MS for us in (*times.quantiles_us, times.longest_us)]
    return Profile(
        quantiles=tuple(zip(shares, all_ms, strict=True)),
        loss=one_way_loss(counts.asked, counts.unanswered),
        probes=times.ways // 2,
        nodes=counts.nodes,
    )


def write_profile(profile: Profile, path: Path) -> None:
    """Write it: as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, profile.text())


def ways(probes: DataFrame) -> DataFrame:
    """How long each way of each answered probe took, on clocks that were set right: `way_us`."""
    half_us = F.col("rtt_us") / 2
    both = F.array(half_us + F.col("offset_us"), half_us - F.col("offset_us"))
    answered = probes.where(F.col("rtt_us").isNotNull() & F.col("offset_us").isNotNull())
    each = answered.select(F.explode(both).alias("way_us"))
    return each.select(F.greatest("way_us", F.lit(0.0)).alias("way_us"))


def quantiles_of(ways: DataFrame) -> DataFrame:
    """One row: `quantiles_us` at `SHARES`, `longest_us` and how many `ways`."""
    shares = F.array(*[F.lit(share) for share in SHARES])
    return ways.agg(
        F.percentile("way_us", shares).alias("quantiles_us"),
        F.max("way_us").alias("longest_us"),
        F.count(F.lit(1)).alias("ways"),
    )


def heard(probes: DataFrame) -> DataFrame:
    """The probes of times at which both ends got an answer or gave one."""
    timed = probes.withColumn("bucket", F.floor(F.col("at_us") / HEARD_US))
    answered = timed.where(F.col("rtt_us").isNotNull())
    ends = F.explode(F.array("node", "peer")).alias("end")
    there = answered.select("run", "bucket", ends).distinct()
    for end in ("node", "peer"):
        ends_there = there.withColumnRenamed("end", end)
        timed = timed.join(ends_there, on=["run", "bucket", end], how="left_semi")
    return timed.select(*probes.columns)


def counts_of(probes: DataFrame) -> DataFrame:
    """One row: how many were `asked`, how many of them `unanswered`, by how many `nodes`."""
    return probes.agg(
        F.count(F.lit(1)).alias("asked"),
        F.count_if(F.col("rtt_us").isNull()).alias("unanswered"),
        F.count_distinct("run", "node").alias("nodes"),
    )


def one_way_loss(asked: int, unanswered: int) -> float:
    """A ping has its answer if neither is lost."""
    return 1 - (1 - unanswered / asked) ** 0.5 if asked else 0.0


def describe(profile: Profile, shares: Iterable[float] = (0.01, 0.5, 0.99, 1.0)) -> str:
    """A profile in one line."""
    known = dict(profile.quantiles)
    told = ", ".join(f"{share:.0%} {known[share]:.3f} ms" for share in shares)
    return (
        f"{profile.probes} probes between {profile.nodes} nodes: one way {told}; "
        f"{profile.loss:.3%} lost"
    )
