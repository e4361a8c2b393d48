"""What the demo measured: the same acts simulated, both through the pipeline, and the report.

    OUT/traces                       rows as the real nodes recorded them
    OUT/runs/real, simulated         datasets: these, and those that simulated nodes recorded
    OUT/metrics/real, simulated      tables of metrics
    OUT/report/index.html            the page

Rules of this file:
- Every number comes out of the tables of metrics; none is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from snowcast.demo.acts import ACTS, SEED
from snowcast.report.measured import Row, open_measured
from snowcast.report.numbers import number
from snowcast.sim.run import record
from snowcast.trace.parquet import make_dataset, writing

TRACES, RUNS, METRICS, REPORT = "traces", "runs", "metrics", "report"
KINDS = REAL, SIMULATED = "real", "simulated"
HEADS = "real", "sim."
SHOWN = {"reliability_live": "reached", "ldt_ms": "LDT, ms", "rmr_bytes": "bytes"}
CAPTION = (
    "reached: share of the live nodes that got a message. LDT: from the send to the last delivery. "
    "bytes: of its frames, received by a node. Means over the messages of an act, on real nodes "
    "and on simulated ones (sim.)."
)
SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""Some thousand rows: tasks, compiled queries and compiled Java cost more than they save."""

Step = Callable[[str], None]
"""Told what is done next."""


class Line(NamedTuple):
    """One act: what was measured of it in each of `KINDS`."""

    act: str
    protocol: str
    real: Row
    simulated: Row


def simulate_acts(out: Path) -> None:
    """Record every act from simulated nodes, under the same seed, as a dataset."""
    runs = out / RUNS / SIMULATED
    make_dataset(runs)
    for act in ACTS:
        name = f"{act.name}-{act.protocol}-{SIMULATED}"
        with writing(runs, name) as writer:
            record(act.scenario(), SEED, writer.write, name=act.name, label=name)


def measure(out: Path, step: Step) -> None:
    """Take both through the pipeline, and write the report."""
    from snowcast.pipeline.ingest.ingest import ingest
    from snowcast.pipeline.ingest.sources import find_sources
    from snowcast.pipeline.measure import write_metrics
    from snowcast.pipeline.reading import read_traces
    from snowcast.pipeline.session import open_session
    from snowcast.report.build import build

    step("Spark starts.")
    with open_session("snowcast demo", settings=SMALL) as spark:
        step("Ingest: the lines that the nodes have written become tables.")
        ingest(spark, find_sources([out / TRACES]), out / RUNS / REAL)
        for kind in KINDS:
            step(f"Metrics of the {kind} nodes.")
            write_metrics(spark, read_traces(spark, [out / RUNS / kind]), out / METRICS / kind)
    step("The report.")
    metrics = out / METRICS
    build(metrics / SIMULATED, out / REPORT, metrics / REAL)


def lines(out: Path) -> Iterator[Line]:
    """The acts in order, as they were measured."""
    found = {kind: _by_act(out / METRICS / kind) for kind in KINDS}
    for act in ACTS:
        key = act.name, act.protocol
        yield Line(act.short, act.protocol, *(found[kind][key] for kind in KINDS))


def table(out: Path) -> Table:
    """The same for a terminal of 80 columns."""
    made = Table(box=None, pad_edge=False, caption=CAPTION, caption_justify="left")
    for name in ("act", "mode"):
        made.add_column(f"{name}\n", no_wrap=True)
    for title in ("sent", *SHOWN.values()):
        for kind in HEADS if title != "sent" else ("",):
            made.add_column(f"{title}\n{kind}", justify="right", no_wrap=True)
    for line in lines(out):
        both = line.real, line.simulated
        cells = [number(metric, row[metric]) for metric in SHOWN for row in both]
        made.add_row(line.act, line.protocol, str(line.real["messages"]), *cells)
    return made


def _by_act(metrics: Path) -> dict[tuple[str, str], Row]:
    rows = open_measured(metrics).rows("run_metrics")
    return {(row["scenario"], row["protocol"]): row for row in rows}
