"""What is new, put to what is open: windows that are over are closed, and the rest stays open.

A message belongs to the window in which it was sent. A window is closed once the watermark has
passed its end: the latest time that any node of the run has told, less how long to wait for what
comes late. Its metrics are then made by the same functions as those of `pipeline metrics`, as if
it were a run of its own, with the roster of the time.

Rules of this file:
- Rows stay open as they came, and are set right by the clocks of the batch that closes them: so
  both ends of a delivery are corrected by the same clocks.
- Each row comes to one end: it is counted in one window, or it is late. A row is late if its window
  was closed without it; data, also if nobody has told of its message until then.
- Column expressions only; what is used more than once goes through `keep` or is persisted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from snowcast.pipeline.clocks.correct import TIMES, correct, off_us, with_clock
from snowcast.pipeline.clocks.estimate import offsets
from snowcast.pipeline.clocks.pairs import usable
from snowcast.pipeline.ingest.landing import rows_of
from snowcast.pipeline.measure import messages_of
from snowcast.pipeline.metric_tables import KEYS
from snowcast.pipeline.metrics.runs import run_messages
from snowcast.pipeline.reading import Traces
from snowcast.pipeline.schemas import select_table
from snowcast.pipeline.watch.state import PROBE_COLUMNS, State

CLOCK_US = 120_000_000
"""Clocks are told by the probes of so long."""

SILENT_US = 60_000_000
"""Who has told nothing for so long before a window is not meant to get its messages."""

COUNTED, KEPT, LATE = "counted", "kept", "late"
ASIDE = "aside/"
"""What begins the names of tables that are no part of the next state."""


WINDOWS = (
    "run string, starts_us bigint, ends_us bigint, messages bigint, intended bigint, "
    "delivered bigint, reliability double, reliability_live double, reliability_min double, "
    "ldt_ms double, ldt_max_ms double, ldt_first_to_last_ms double, rmr_bytes double, "
    "redundancy double, control_bytes bigint"
)
"""One row for each window that was closed; a mean is over its messages."""

Keep = Callable[[str, DataFrame], DataFrame]


@dataclass(frozen=True)
class Folded:
    """What a batch has come to."""

    windows: DataFrame | None
    """Those that were closed; None if there is none."""
    late: int
    """How many rows came after their window was closed."""


def fold(state: State, landed: DataFrame, keep: Keep, window_us: int, wait_us: int) -> Folded:
    """Put landed rows to a state. The next state is what `keep` is given, table by table."""
    nodes = keep("nodes", state.nodes.unionByName(rows_of(landed, "nodes")).distinct())
    answers = state.probes.unionByName(usable(rows_of(landed, "probes")).select(*PROBE_COLUMNS))
    probes = keep("probes", recent(answers.distinct()))
    clocks = keep("clocks", steady(offsets(probes), state.clocks))
    messages = state.messages.unionByName(select_table(rows_of(landed, "messages"), "messages"))
    arrivals = state.arrivals.unionByName(rows_of(landed, "arrivals"))
    messages = timed(messages.dropDuplicates(["run", "message"]), "messages", clocks).persist()
    arrivals = timed(arrivals.distinct(), "arrivals", clocks).persist()
    try:
        runs = keep("runs", progress(state.runs, messages, arrivals, window_us, wait_us))
        seen = keep("seen", last_seen(state.seen, arrivals))
        messages = with_fate(messages, runs, message_fate())
        arrivals = with_fate(with_message(arrivals, messages), runs, arrival_fate())
        keep("messages", select_table(of(messages, KEPT), "messages"))
        keep("arrivals", select_table(of(arrivals, KEPT), "arrivals"))
        fates = _fates(messages) + _fates(arrivals)
        if not fates[COUNTED]:
            return Folded(None, fates[LATE])
        there = correct(nodes, "nodes", clocks)
        sent = keep(ASIDE + "sent", in_windows(of(messages, COUNTED), window_us))
        got = keep(ASIDE + "got", in_windows(of(arrivals, COUNTED), window_us))
        spans = spans_of(sent, window_us)
        then = keep(ASIDE + "nodes", nodes_then(there, seen, spans))
        return Folded(keep("windows", windows(sent, got, then, window_us)), fates[LATE])
    finally:
        messages.unpersist()
        arrivals.unpersist()


def timed(rows: DataFrame, table: str, clocks: DataFrame) -> DataFrame:
    """The rows with `right_us`, the time that a right clock would have shown."""
    whose, (time,) = TIMES[table]
    named = with_clock(rows, clocks, whose, "_clock")
    right_us = (F.col(time) - off_us("_clock", F.col(time))).alias("right_us")
    return named.select(*rows.columns, right_us)


def recent(probes: DataFrame) -> DataFrame:
    """Those of the last `CLOCK_US` of each run."""
    newest = probes.groupBy("run").agg(F.max("at_us").alias("newest_us"))
    kept = probes.join(F.broadcast(newest), on="run", how="inner")
    return kept.where(F.col("at_us") >= F.col("newest_us") - CLOCK_US).select(*probes.columns)


def steady(offsets: DataFrame, before: DataFrame) -> DataFrame:
    """New offsets as a table of clocks, such that the usual clock stays where it was before.

    Which clock is in the middle changes as nodes come and go; no time is to jump by that. Nodes
    that were not probed lately stay as they were.
    """
    old = before.select("run", "node", F.col("offset_us").alias("old_us"))
    both = offsets.join(old, on=["run", "node"], how="inner")
    moved = both.groupBy("run", "group").agg(
        F.median(F.col("offset_us") - F.col("old_us")).alias("moved_us")
    )
    fresh = offsets.join(F.broadcast(moved), on=["run", "group"], how="left").select(
        *[F.col(name) for name in ("run", "node", "group", "probes", "rtt_us")],
        (F.col("offset_us") - F.coalesce("moved_us", F.lit(0.0))).alias("offset_us"),
        F.lit(0).cast("long").alias("starts_us"),
        F.lit(1).cast("long").alias("window_us"),
        F.array(F.lit(0.0)).alias("left_us"),
    )
    unheard = before.join(offsets.select("run", "node"), on=["run", "node"], how="left_anti")
    return fresh.unionByName(unheard)


def progress(
    runs: DataFrame, messages: DataFrame, arrivals: DataFrame, window_us: int, wait_us: int
) -> DataFrame:
    """How far each run is: `run, newest_us, before_us, closed_us`.

    Windows that end at `closed_us` or earlier are closed; `before_us` is what it was before.
    """
    times = messages.select("run", "right_us").unionByName(arrivals.select("run", "right_us"))
    newest = times.groupBy("run").agg(F.max("right_us").alias("right_us"))
    known = runs.select("run", "newest_us", F.col("closed_us").alias("before_us"))
    moved = known.join(newest, on="run", how="full").select(
        "run", F.greatest("newest_us", "right_us").alias("newest_us"), "before_us"
    )
    watermark = F.col("newest_us") - wait_us
    return moved.select(
        "run",
        "newest_us",
        "before_us",
        F.greatest("before_us", window_of(watermark, window_us)).alias("closed_us"),
    )


def last_seen(seen: DataFrame, arrivals: DataFrame) -> DataFrame:
    """When each node has last told of a frame: `run, node, seen_us`."""
    told = arrivals.select("run", "node", F.col("right_us").alias("seen_us"))
    both = seen.unionByName(told)
    return both.groupBy("run", "node").agg(F.max("seen_us").alias("seen_us"))


def with_message(arrivals: DataFrame, messages: DataFrame) -> DataFrame:
    """Arrivals with the fate of the message that they are about, null if it is not open."""
    fates = messages.select("run", "message", F.col("fate").alias("message_fate"))
    return arrivals.join(F.broadcast(fates), on=["run", "message"], how="left")


def with_fate(rows: DataFrame, runs: DataFrame, fate: Column) -> DataFrame:
    """The rows with what becomes of them in this batch, by how far their run is."""
    limits = runs.select("run", "before_us", "closed_us")
    return (
        rows.join(F.broadcast(limits), on="run", how="inner")
        .withColumn("fate", fate)
        .drop("before_us", "closed_us")
    )


def message_fate() -> Column:
    """A message is counted in the window in which it was sent."""
    return (
        F.when(_is_before("before_us"), LATE).when(_is_before("closed_us"), COUNTED).otherwise(KEPT)
    )


def arrival_fate() -> Column:
    """Data goes with its message; other frames are counted in the window in which they came."""
    message = F.coalesce("message_fate", F.lit(""))
    data = (
        F.when(message == COUNTED, COUNTED)
        .when((message == KEPT) | ~_is_before("closed_us"), KEPT)
        .otherwise(LATE)
    )
    return F.when(F.col("kind") == "data", data).otherwise(message_fate())


def of(rows: DataFrame, fate: str) -> DataFrame:
    """The rows that this becomes of."""
    return rows.where(F.col("fate") == fate)


def in_windows(rows: DataFrame, window_us: int) -> DataFrame:
    """Messages or arrivals at their right times, and when the window begins that they are in."""
    starts_us = window_of(F.col("right_us"), window_us).alias("starts_us")
    names = [name for name in rows.columns if name not in ("at_us", "right_us")]
    return rows.select(*names, F.col("right_us").alias("at_us"), starts_us)


def spans_of(messages: DataFrame, window_us: int) -> DataFrame:
    """The windows that messages were sent in, with a name for each that no run has."""
    return (
        messages.select("run", "starts_us")
        .distinct()
        .withColumn("ends_us", F.col("starts_us") + window_us)
        .withColumn("window", _name_of_window())
    )


def nodes_then(nodes: DataFrame, seen: DataFrame, spans: DataFrame) -> DataFrame:
    """The nodes as they stood in each window: what has become of them since is not known yet."""
    there = (
        nodes.join(F.broadcast(spans), on="run", how="inner")
        .join(F.broadcast(seen), on=["run", "node"], how="left")
        .where(F.col("seen_us").isNull() | (F.col("seen_us") >= F.col("starts_us") - SILENT_US))
    )
    then = {
        name: F.when(F.col(name) < F.col("ends_us"), F.col(name))
        for name in ("left_us", "crashed_us")
    }
    return select_table(there.withColumns({**then, "run": F.col("window")}), "nodes")


def windows(
    messages: DataFrame, arrivals: DataFrame, nodes: DataFrame, window_us: int
) -> DataFrame:
    """The windows of what is counted. Each is a run of its own to the metrics."""
    spans = spans_of(messages, window_us)
    data = arrivals.where(F.col("kind") == "data").drop("starts_us")
    home = messages.select("run", "message", "starts_us")
    got = data.join(F.broadcast(home), on=["run", "message"], how="inner")
    named = {"run": _name_of_window()}
    traces = Traces(
        runs=spans,
        nodes=nodes,
        messages=select_table(messages.withColumns(named), "messages"),
        arrivals=select_table(got.withColumns(named), "arrivals"),
        probes=spans,
    )
    found = run_messages(messages_of(traces, _keys_of(spans))).withColumnRenamed("run", "window")
    control = (
        arrivals.where(F.col("kind") != "data")
        .groupBy("run", "starts_us")
        .agg(F.sum("bytes").alias("control_bytes"))
    )
    rows = (
        spans.join(F.broadcast(found), on="window", how="inner")
        .drop("ends_us")
        .join(control, on=["run", "starts_us"], how="full")
        .fillna(0, subset=["messages", "intended", "delivered", "control_bytes"])
        .withColumn("ends_us", F.col("starts_us") + window_us)
    )
    return rows.select(*[column.split()[0] for column in WINDOWS.split(", ")])


def window_of(time_us: Column, window_us: int) -> Column:
    """When the window begins that a time is in."""
    return (F.floor(time_us / window_us) * window_us).cast("long")


def _fates(rows: DataFrame) -> Counter[str]:
    return Counter({row.fate: row["count"] for row in rows.groupBy("fate").count().collect()})


def _is_before(limit: str) -> Column:
    return F.coalesce(F.col("right_us") < F.col(limit), F.lit(False))


def _name_of_window() -> Column:
    return F.concat_ws("\u0000", "run", "starts_us")


def _keys_of(spans: DataFrame) -> DataFrame:
    others = [F.lit(None).cast(key.type).alias(key.name) for key in KEYS if key.name != "run"]
    return F.broadcast(spans.select(F.col("window").alias("run"), *others))
