"""`snowcast pipeline calibrate`: from the probes of real nodes to a network for the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from snowcast.cli.spark import Master, Settings, need_the_extra, spark_session


def calibrate(
    datasets: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="What `pipeline ingest` has written.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The profile, as TOML; replaced if it is there.")
    ],
    master: Master = None,
    conf: Settings = None,
) -> None:
    """Write a network profile: quantiles of how long frames are under way, and what is lost.

    A scenario takes it by `profile = "FILE"` in its `[network]`, and then runs on your network.

    **Examples**

    - `snowcast pipeline calibrate build/runs --out ours.toml`
    """
    need_the_extra()
    from snowcast.pipeline.calibrate import calibrate as profile_of
    from snowcast.pipeline.calibrate import describe, write_profile
    from snowcast.pipeline.reading import check_dataset, read_traces

    for dataset in datasets:  # a mistake is told before Spark starts
        check_dataset(dataset)
    with spark_session(master, conf) as spark:
        profile = profile_of(read_traces(spark, datasets).probes)
    write_profile(profile, out)
    typer.echo(describe(profile))
    typer.echo(f"{out}: for a scenario's [network], profile = {str(out)!r}")
