"""`snowcast pipeline`: from scenarios and raw traces to tables, on Spark.

The registry of the group. Each command has a file of its own, and imports what needs Spark where
it uses it: the other commands do without it.
"""

from __future__ import annotations

import typer

from snowcast.cli.calibrate import calibrate
from snowcast.cli.ingest import ingest
from snowcast.cli.metrics import metrics
from snowcast.cli.sweep import sweep
from snowcast.cli.watch import watch

app = typer.Typer(help="From scenarios and traces to tables of metrics, on Spark.")
app.command("sweep")(sweep)
app.command("ingest")(ingest)
app.command("metrics")(metrics)
app.command("watch")(watch)
app.command("calibrate")(calibrate)
