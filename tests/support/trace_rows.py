"""Rows of traces for tests of the pipeline: by hand, and at random; and as Spark has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import Phase, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from snowcast.pipeline.reading import Traces
from snowcast.trace.parquet import arrow_schema
from snowcast.trace.schema import (
    TABLES,
    ArrivalRow,
    MessageRow,
    NodeRow,
    ProbeRow,
    Role,
    Row,
    RunRow,
)

SEEDS = st.lists(st.integers(0, 9_999), min_size=1, max_size=30, unique=True)
"""Of random runs: many in one example, as a job of Spark takes long and rows do not."""

few_examples = settings(max_examples=4, phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""Not made smaller either: a job of Spark takes a second, and the runs are small already."""

SECOND = 1_000_000


def run(name: str = "r", **changes: Any) -> RunRow:
    """A run of standard Snow over four nodes."""
    values = {
        "protocol": "standard",
        "scenario": "s",
        "seed": 0,
        "nodes": 4,
        "fanout": 4,
        "config": '{"ring_order":"address","hop_timeout_us":1000}',
        "version": "1",
        "is_virtual": True,
    }
    return RunRow(run=name, **{**values, **changes})


def node(name: str, run: str = "r", **changes: Any) -> NodeRow:
    """A node that was there from the beginning."""
    values = {"life": 1, "role": Role.PLAIN, "joined_us": 0}
    return NodeRow(run=run, node=name, **{**values, **changes})


def message(id: str = "m", at_us: int = 0, origin: str = "a", **changes: Any) -> MessageRow:
    """A plain message from `a`."""
    values = {"run": "r", "payload_bytes": 100, "mode": "standard", "reliable": False}
    return MessageRow(message=id, origin=origin, at_us=at_us, **{**values, **changes})


def data(node: str, at_us: int, id: str = "m", sender: str = "a", **changes: Any) -> ArrivalRow:
    """A first copy, of 120 bytes."""
    values = {"run": "r", "kind": "data", "bytes": 120, "hop": 1, "tree": 0, "first": True}
    return ArrivalRow(node=node, at_us=at_us, message=id, sender=sender, **{**values, **changes})


def control(kind: str, node: str, at_us: int, sender: str = "b", **changes: Any) -> ArrivalRow:
    """A frame that carries no message of an application, of 20 bytes."""
    values = {"run": "r", "bytes": 20}
    return ArrivalRow(kind=kind, node=node, at_us=at_us, sender=sender, **{**values, **changes})


@dataclass(frozen=True)
class Trace:
    """The tables of one run or several, as lists."""

    runs: list[RunRow] = field(default_factory=list)
    nodes: list[NodeRow] = field(default_factory=list)
    messages: list[MessageRow] = field(default_factory=list)
    arrivals: list[ArrivalRow] = field(default_factory=list)
    probes: list[ProbeRow] = field(default_factory=list)

    def traces(self, spark: SparkSession) -> Traces:
        """The same as tables of Spark."""
        return Traces(**{table: frame(spark, table, getattr(self, table)) for table in TABLES})


def together(traces: Iterable[Trace]) -> Trace:
    """Several traces as one."""
    whole = Trace()
    for one in traces:
        for table in TABLES:
            getattr(whole, table).extend(getattr(one, table))
    return whole


def frame(spark: SparkSession, table: str, rows: Sequence[Row]) -> DataFrame:
    """Rows as a table of Spark, in two partitions, so that everything has to be put together."""
    schema = arrow_schema(TABLES[table])
    columns = [[getattr(row, name) for row in rows] for name in schema.names]
    arrays = [pa.array(values, kind.type) for values, kind in zip(columns, schema, strict=True)]
    found = spark.createDataFrame(pa.Table.from_arrays(arrays, schema=schema))
    return found.repartition(2) if len(rows) > 1 else found


def dicts(rows: DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, sorted by their values from left to right."""
    found = rows.toArrow().to_pylist()
    return sorted(found, key=lambda row: [(v is not None, str(type(v)), v) for v in row.values()])


def random_traces(seeds: Iterable[int]) -> list[Trace]:
    """A run for each seed."""
    return [random_trace(seed) for seed in seeds]


def random_trace(seed: int) -> Trace:
    """A small run in which all comes about that may: crashes, restarts, joins, leaves, strangers,
    clocks that disagree, copies and acks in any order, and messages that nobody gets.
    """
    rng, name = Random(seed), f"r{seed}"
    names = "abcdef"[: rng.randint(2, 6)]
    nodes = [one for who in names for one in _lives(rng, name, who)]
    messages = [
        message(
            f"m{number}",
            rng.choice([0, 1, 2, 2, 3]) * SECOND + rng.randrange(3),
            rng.choice(names),
            run=name,
        )
        for number in range(rng.randrange(5))
    ]
    arrivals = [one for sent in messages for one in _spread(rng, sent, [*names, "stranger"])]
    for _ in range(rng.randrange(6)):
        kind = rng.choice(["ping", "pong", "announcement", "data"])
        sender, receiver = rng.choice(names), rng.choice([*names, "stranger"])
        about = None if kind.startswith("p") else "unknown"
        at_us, size = rng.randrange(4 * SECOND), rng.randrange(200)
        arrivals.append(control(kind, receiver, at_us, sender, run=name, message=about, bytes=size))
    rng.shuffle(arrivals)
    return Trace([run(name, seed=seed, nodes=len(names))], nodes, messages, arrivals)


def _lives(rng: Random, name: str, who: str) -> list[NodeRow]:
    """What a trace says of a node: now and then nothing, a restart, or the same life twice."""

    def some(*values: Any) -> Any:
        return rng.choice([None, None, *values])

    times = [0, SECOND, SECOND + 1, 2 * SECOND, 3 * SECOND]
    lives = [1] if rng.random() < 0.7 else rng.choice([[], [1, 2], [1, 1]])
    role = rng.choice(list(Role))
    return [
        node(
            who,
            name,
            life=life,
            role=role,
            stable=some(True, False),
            joined_us=rng.choice([None, 0, 0, 0, *times]),
            left_us=some(None, None, *times),
            crashed_us=some(None, *times),
        )
        for life in lives
    ]


def _spread(rng: Random, sent: MessageRow, names: Sequence[str]) -> list[ArrivalRow]:
    """What arrives of a message."""
    found = []
    for who in names:
        for number in range(rng.choice([0, 1, 1, 1, 2, 3])):
            at_us = sent.at_us + rng.choice([-40, 0, 63, 64, 1_000, rng.randrange(2 * SECOND)])
            more = {"bytes": rng.randrange(100, 200), "hop": rng.randint(1, 5)}
            is_first = number == 0 or rng.random() < 0.2  # for a node that was started again too
            more |= {"first": is_first or rng.choice([None, False]), "tree": rng.choice([0, 1, 2])}
            sender = rng.choice(names)
            found.append(data(who, at_us, sent.message, sender, run=sent.run, **more))
    for _ in range(rng.randrange(5)):
        at_us, kind = sent.at_us + rng.randrange(SECOND), rng.choice(["ack", "ack", "ack_query"])
        more = {"tree": rng.choice([None, 1, 2]), "complete": rng.choice([None, True, True, False])}
        more |= {"message": sent.message, "run": sent.run, "bytes": rng.randrange(50)}
        found.append(control(kind, rng.choice(names), at_us, rng.choice(names), **more))
    return found
