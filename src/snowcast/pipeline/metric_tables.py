"""The tables of metrics: their columns, types and meanings. There is no other definition.

What `snowcast pipeline metrics` writes, and all that a report reads. docs/METRICS.md is written
from this file; the transforms in `metrics` end in a `select` that is held to it.

Rules of this file:
- Units go last in a name. A share or a ratio has none.
- A metric that cannot be had (no delivery, no ack) is null, not zero.
- It knows nothing of Spark: types are the names that Spark, Arrow and people agree on.
"""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column: `type` is string, bigint, double or boolean."""

    name: str
    type: str
    text: str
    is_nullable: bool = False


class MetricTable(NamedTuple):
    """One table, and what one row of it is."""

    name: str
    text: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple([column.name for column in self.columns])


def _text(name: str, text: str) -> Column:
    return Column(name, "string", text)


def _count(name: str, text: str, is_nullable: bool = False) -> Column:
    return Column(name, "bigint", text, is_nullable)


def _real(name: str, text: str, is_nullable: bool = False) -> Column:
    return Column(name, "double", text, is_nullable)


def _flag(name: str, text: str) -> Column:
    return Column(name, "boolean", text)


_SCENARIO = (
    _text("scenario", "the name of the scenario; empty for agents"),
    _text("variant", "what a sweep has changed in it besides; empty if nothing"),
)
_SIZE = (
    _count("nodes", "how many nodes began the run", is_nullable=True),
    _count("fanout", "k"),
)
_IS_VIRTUAL = _flag("is_virtual", "whether it was simulated; false for real nodes")
CELL = (*_SCENARIO, _text("protocol", "whose run it is"), *_SIZE, _IS_VIRTUAL)
"""What runs have in common that differ in their seed only."""

KEYS = (
    _text("run", "the run"),
    *CELL,
    _count("seed", "the seed of a scenario; no two runs of a cell have one", is_nullable=True),
)
"""What every row about one run begins with."""

_INTERVAL = (
    _count("seeds", "over how many runs, each under a seed of its own if it has one"),
    _real("mean", "the mean over the runs"),
    _real("median", "the median over the runs"),
    _real("low", "lower end of the 95 % interval of the mean; null of one run", is_nullable=True),
    _real("high", "upper end of it", is_nullable=True),
)

MESSAGE_METRICS = MetricTable(
    "message_metrics",
    "One row for each message that an application has sent.",
    (
        *KEYS,
        _text("message", "the id"),
        _count("number", "its place among the messages of the run by the time of sending, from 0"),
        _text("origin", "the node that sent it"),
        _text("mode", "`standard` or `coloring`"),
        _flag("reliable", "whether it asked for a receipt"),
        _count("sent_us", "when it was sent"),
        _count("payload_bytes", "its size"),
        _count("intended", "receivers: the fixed roster without the origin"),
        _count("delivered", "receivers that got it"),
        _count("intended_live", "receivers that had not crashed by the last delivery"),
        _count("delivered_live", "of these, those that got it"),
        _real("reliability", "delivered / intended", is_nullable=True),
        _real("reliability_live", "delivered_live / intended_live", is_nullable=True),
        _real("ldt_ms", "from the send to the last delivery", is_nullable=True),
        _real("ldt_first_to_last_ms", "from the first delivery to the last", is_nullable=True),
        _real("p50_ms", "half of the deliveries took no longer", is_nullable=True),
        _real("p90_ms", "90 % of the deliveries took no longer", is_nullable=True),
        _real("p99_ms", "99 % of the deliveries took no longer", is_nullable=True),
        _count("last_delivery_hop", "the most hops that a first copy took", is_nullable=True),
        _count("copies", "data frames of the message that receivers got, first or not"),
        _count("data_bytes", "their bytes"),
        _real("rmr_bytes", "data_bytes / intended", is_nullable=True),
        _real("redundancy", "copies / delivered - 1", is_nullable=True),
        _count("ack_bytes", "bytes of acks and ack queries about the message, at any node"),
        _real("certain_ms", "from the send to the last complete ack that counts", is_nullable=True),
    ),
)

RUN_METRICS = MetricTable(
    "run_metrics",
    "One row for each run. A mean is over its messages; messages without the metric do not count.",
    (
        *KEYS,
        _count("messages", "how many messages were sent"),
        _count("roster", "nodes on the fixed roster"),
        _real("reliability", "all deliveries / all intended", is_nullable=True),
        _real("reliability_live", "the same among the live", is_nullable=True),
        _real("reliability_min", "reliability of the worst message", is_nullable=True),
        _real("complete_live", "share of messages that all live receivers got", is_nullable=True),
        _real("ldt_ms", "mean", is_nullable=True),
        _real("ldt_max_ms", "that of the slowest message", is_nullable=True),
        _real("ldt_first_to_last_ms", "mean", is_nullable=True),
        _real("p50_ms", "over all deliveries of the run, from the histogram", is_nullable=True),
        _real("p90_ms", "likewise", is_nullable=True),
        _real("p99_ms", "likewise", is_nullable=True),
        _real("last_delivery_hop", "mean", is_nullable=True),
        _real("rmr_bytes", "mean", is_nullable=True),
        _real("redundancy", "mean", is_nullable=True),
        _real("certain_ms", "mean", is_nullable=True),
        _count("data_bytes", "bytes of all data frames that arrived anywhere"),
        _count("control_bytes", "bytes of all other frames that arrived anywhere"),
        _real("load_mean_bytes", "data bytes sent by a node of the roster, mean", is_nullable=True),
        _count("load_max_bytes", "those of the busiest", is_nullable=True),
        _real("load_spread", "their standard deviation / their mean", is_nullable=True),
        _real(
            "recovery_ms",
            "mean over membership changes with messages after; what was not seen to recover counts "
            "with `missing_ms`, so it is a lower bound if there is any",
            is_nullable=True,
        ),
        _real("recovered", "share of these changes that were seen to recover", is_nullable=True),
        _count("unrecovered", "changes after which messages went on missing live receivers"),
    ),
)

DELIVERY_HISTOGRAM = MetricTable(
    "delivery_histogram",
    "One row for each run and bin of delivery times that is not empty.",
    (
        *KEYS,
        _count("bin", "the number of the bin; 32 to each doubling"),
        _count("from_us", "the least delivery time in the bin, from the send"),
        _count("to_us", "the least delivery time above it"),
        _count("deliveries", "how many deliveries took that long"),
        _real("delivered_share", "of all intended deliveries of the run, those below `to_us`"),
    ),
)

NODE_LOAD = MetricTable(
    "node_load",
    "One row for each run and node. Sent is what has arrived: frames lost on the way are unseen.",
    (
        *KEYS,
        _text("node", "the address"),
        Column("role", "string", "`plain` or `straggler`; null if `nodes` lacks it", True),
        _flag("on_roster", "whether it is on the fixed roster"),
        _count("data_frames_sent", "frames of applications' messages, forwarded or originated"),
        _count("data_bytes_sent", "their bytes"),
        _count("data_bytes_received", "bytes of such frames that came in"),
        _count("control_bytes_sent", "bytes of all other frames"),
        _count("control_bytes_received", "likewise, that came in"),
    ),
)

TRAFFIC = MetricTable(
    "traffic",
    "One row for each run and kind of frame.",
    (
        *KEYS,
        _text("kind", "as in the trace: `data`, `announcement`, `ack`, `ping`, ..."),
        _count("frames", "how many arrived, anywhere"),
        _count("bytes", "their bytes"),
    ),
)

RECOVERY = MetricTable(
    "recovery",
    "One row for each join, leave and crash after the first message of a run was sent.",
    (
        *KEYS,
        _text("node", "who came or went"),
        _text("change", "`join`, `leave` or `crash`"),
        _count("at_us", "when"),
        _count("messages", "sent from then on and before the next change"),
        _count("incomplete", "of these, those that some live receiver did not get"),
        _real(
            "missing_ms",
            "from the change to the last of those; null if there are none",
            is_nullable=True,
        ),
        _real(
            "recovery_ms",
            "from the change to the first of these messages after which all were complete; 0 if "
            "all were, null if the last was not or there was none",
            is_nullable=True,
        ),
    ),
)

SUMMARY = MetricTable(
    "summary",
    "One row for each cell and metric of `run_metrics`, over seeds.",
    (*CELL, _text("metric", "a column of `run_metrics`"), *_INTERVAL),
)

MESSAGE_SUMMARY = MetricTable(
    "message_summary",
    "One row for each cell, place of a message in the run, and metric, over seeds.",
    (
        *CELL,
        _count("number", "as in `message_metrics`"),
        _text("metric", "a column of `message_metrics`"),
        *_INTERVAL,
    ),
)

COMPARISONS = MetricTable(
    "comparisons",
    "One row for each two protocols in one cell, and metric, paired by seed.",
    (
        *_SCENARIO,
        *_SIZE,
        _IS_VIRTUAL,
        _text("metric", "a column of `run_metrics`"),
        _text("protocol", "the one"),
        _text("against", "the other, later in the alphabet"),
        _count("seeds", "how many seeds both were run under and have the metric"),
        _real("mean", "the mean of `protocol` under these seeds"),
        _real("mean_against", "that of `against`"),
        _real("difference", "the mean of the differences, `protocol` - `against`"),
        _real("low", "lower end of its 95 % interval; null of one seed", is_nullable=True),
        _real("high", "upper end of it", is_nullable=True),
        _count("lower", "seeds under which `protocol` had less"),
        _count("equal", "seeds under which both had the same"),
    ),
)

BROADCAST_NODES = MetricTable(
    "broadcast_nodes",
    "One row for each node of a broadcast that is shown frame by frame: of the smallest run of a "
    "scenario and protocol, the first message after a crash, or the first of all.",
    (
        *KEYS,
        _text("message", "the id"),
        _count("place", "its place on the ring, from 0"),
        _text("node", "the address"),
        _text("role", "`plain` or `straggler`"),
        _flag("dead", "whether it had crashed by the send"),
        _flag("is_origin", "whether it sent the message"),
        _count("hop_timeout_us", "how long a parent waits for a silent child"),
    ),
)

BROADCAST_FRAMES = MetricTable(
    "broadcast_frames",
    "One row for each data frame that arrived in a broadcast of `broadcast_nodes`.",
    (
        *KEYS,
        _text("message", "the id"),
        _count("at_us", "when it arrived, from the send"),
        _count("sender", "the place of who sent it"),
        _count("receiver", "the place of who got it"),
        _count("tree", "0 standard or none, 1 primary, 2 secondary"),
        _count("hop", "how many sends from the origin"),
        _flag("first", "whether it was the first copy that the receiver got"),
    ),
)

METRIC_TABLES: dict[str, MetricTable] = {
    table.name: table
    for table in (
        MESSAGE_METRICS,
        RUN_METRICS,
        DELIVERY_HISTOGRAM,
        NODE_LOAD,
        TRAFFIC,
        RECOVERY,
        SUMMARY,
        MESSAGE_SUMMARY,
        COMPARISONS,
        BROADCAST_NODES,
        BROADCAST_FRAMES,
    )
}

SUMMARY_METRICS = tuple(
    [
        column.name
        for column in RUN_METRICS.columns
        if column not in KEYS and column.name not in ("messages", "roster")
    ]
)
"""What `summary` and `comparisons` are about."""

SHARES = ("reliability", "reliability_live", "reliability_min", "complete_live", "recovered")
"""Of what is summed up, that which is from 0 to 1, and so is its interval."""

MESSAGE_SUMMARY_METRICS = (
    "ldt_ms",
    "ldt_first_to_last_ms",
    "rmr_bytes",
    "redundancy",
    "reliability",
    "reliability_live",
)
"""What `message_summary` is about: the curves over the messages of a run."""
