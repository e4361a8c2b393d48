"""`snowcast pipeline metrics`: from datasets of traces to all tables of metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from snowcast.cli.progress import bar
from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session


def metrics(
    datasets: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="What `pipeline sweep` and `ingest` have written."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new directory, for the tables.")],
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Compute the metrics of all runs in these datasets: a folder of Parquet for each table.

    They are of messages, runs, nodes and membership changes; over seeds, with intervals; and of
    protocols against each other, paired by seed. docs/METRICS.md says what each column means.
    The tables are there when all of them are whole, and not before.

    **Examples**

    - `snowcast pipeline metrics build/runs --out build/metrics`
    - `snowcast pipeline metrics build/runs build/sizes --out build/metrics`
    - `snowcast pipeline metrics build/runs --out build/metrics --master spark://10.0.0.1:7077`
    """
    need_the_extra()
    from snowcast.pipeline.measure import write_metrics
    from snowcast.pipeline.metric_tables import METRIC_TABLES
    from snowcast.pipeline.reading import check_dataset, read_traces
    from snowcast.pipeline.whole import check_free

    for dataset in datasets:  # a mistake is told before Spark starts
        check_dataset(dataset)
    check_free(out)
    with spark_session(master, conf) as spark:
        traces = read_traces(spark, datasets)
        with bar("metrics") as advance:
            write_metrics(spark, traces, out, advance)
    typer.echo(f"{len(METRIC_TABLES)} tables in {out}")
