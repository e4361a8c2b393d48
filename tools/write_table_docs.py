"""Write docs/TRACE.md and docs/METRICS.md: every table and column, from their definitions.

Run it through `make docs`. With --check nothing is written, and the exit status says whether the
pages are current. They follow from `trace/schema.py` and `pipeline/metric_tables.py` alone.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"

TRACE = """\
# Traces

<!-- Written by `make docs` from src/snowcast/trace/schema.py: change that, not this page. -->

A trace is what the drivers of nodes have seen: simulated ones, those of the lab, or agents. It has
five tables, and the schema is the same wherever it comes from. This is schema version {version}.

- Times are microseconds: on a virtual clock since the start of the run, on real ones since 1970, on
  the clock of the node that the row names. `probes` tells how clocks differ.
- A node is its address. A message is its id, `origin/life/sequence`.
- A column that may be null says so. In lines it is then left out.
- A new column that may be null does not change the version: old traces stay readable.

## As lines

What agents and `sim run` write. Parts only grow, by whole lines, and a new part is begun when one
is large enough: a crash tears the last line of a part at the most. `pipeline ingest` reads them,
sets aside what does not fit, and writes a dataset.

```
manifest.json             schema version, version of snowcast, columns
arrivals-00000.jsonl      one row a line, in the order of the columns
arrivals-00001.jsonl
```

## As a dataset

What `pipeline sweep` and `pipeline ingest` write, and `pipeline metrics` reads: Parquet, a folder
for each table. A run counts once its row in `runs` is there, which is written last.

```
manifest.json
arrivals/NAME.parquet           the rows of one run, as `sweep` writes them
arrivals/run=R/part-*.parquet   the same, as `ingest` does, in many parts if there are many rows
runs/NAME.parquet
```

Any tool that reads Parquet can read it: `SELECT kind, count(*) FROM
'build/runs/arrivals/**/*.parquet' GROUP BY kind` in DuckDB.

## Tables
"""

METRICS = """\
# Metrics

<!-- Written by `make docs` from src/snowcast/pipeline/metric_tables.py: change that, not this. -->

What `snowcast pipeline metrics` writes: a folder of Parquet for each table, computed from
[traces](TRACE.md) and nowhere else. Reports read nothing but these tables.

- **Who is meant to get a message.** The fixed roster of a run, without the origin: the nodes that
  were members when the first message was sent and did not leave later. Those who crash stay on
  it, as in the paper; `_live` counts those who had not crashed by the last delivery. Simulators
  and labs know who crashed; agents cannot tell of their own end, so in their traces
  `reliability_live` is `reliability`.
- **A node that is started again** is one receiver, and got a message when the first of its lives
  did, even if a later one was given it anew.
- **When.** Times are from the send, on the origin's clock. `ldt_ms` runs from the send to the last
  delivery; the paper's, from the first delivery to the last, is `ldt_first_to_last_ms`.
- **Two things are called RMR.** The paper's is bytes received for each receiver: `rmr_bytes`.
  Plumtree's is a ratio of copies: `redundancy`.
- **Percentiles** of a message are exact, by nearest rank. Those of a run are from the histogram,
  whose bins are 3 % wide at the most.
- **Certain** is an origin when the first of its trees was complete; where some receiver never got
  the message, when all of them were. It is told from acks, not from the receipt.
- **Recovery** that was not seen counts with how long it was waited for in vain, so `recovery_ms`
  of a run is a lower bound wherever `recovered` is less than 1.
- **Intervals** are 95 %, by bootstrap over runs with {draws:,} draws that follow from the name of
  the cell: the same tables give the same intervals. They are widened for few runs, as Student's
  are against normal ones: those of five runs {wider:.2f} times, of twenty {hardly:.2f}. One run
  has none. Those of shares end at 0 and 1.
- **A cell** is what differs in its seed only. What was simulated and what was real are two cells;
  two runs of one cell under one seed are refused.
- **What cannot be had is null**, not zero: the delivery time of a message that nobody got.
- **Comparisons are paired by seed.** Under one seed all protocols meet the same delays, stragglers
  and faults.

## Tables
"""


def main() -> None:
    """Write the pages, or say that they are out of date."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    checking = parser.parse_args().check
    stale = {path: text for path, text in pages().items() if current(path) != text}
    for path, text in stale.items():
        if checking:
            sys.exit(f"docs/{path.name} is out of date: run `make docs`")
        path.write_text(text, encoding="utf-8")
        print(f"wrote docs/{path.name}")


def pages() -> dict[Path, str]:
    """Both pages as they have to be."""
    return {DOCS / "TRACE.md": trace_page(), DOCS / "METRICS.md": metrics_page()}


def current(path: Path) -> str:
    """A page as it is."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def trace_page() -> str:
    """docs/TRACE.md."""
    from snowcast.trace.schema import SCHEMA_VERSION, TABLES, columns

    parts = [TRACE.format(version=SCHEMA_VERSION)]
    for name, row in TABLES.items():
        rows = [(one.name, one.type, one.is_nullable, one.text) for one in columns(row)]
        parts.append(_section(name, (row.__doc__ or "").splitlines()[0], rows))
    return "\n".join(parts)


def metrics_page() -> str:
    """docs/METRICS.md."""
    from snowcast.pipeline.bootstrap import DRAWS, widening
    from snowcast.pipeline.metric_tables import CELL, KEYS, METRIC_TABLES

    parts = [METRICS.format(draws=DRAWS, wider=widening(5), hardly=widening(20))]
    about = "What every row about one run begins with; tables over seeds begin with all but the "
    about += "run and its seed. They are left out below."
    parts.append(_section("The keys of a run", about, _rows(KEYS), ticks=False))
    for name, table in METRIC_TABLES.items():
        own = [column for column in table.columns if column not in (*KEYS, *CELL)]
        parts.append(_section(name, table.text, _rows(own)))
    return "\n".join(parts)


def _rows(columns: Iterable[Any]) -> list[tuple[str, str, bool, str]]:
    return [(one.name, one.type, one.is_nullable, one.text) for one in columns]


def _section(
    name: str, about: str, rows: Iterable[tuple[str, str, bool, str]], ticks: bool = True
) -> str:
    lines = [f"### {f'`{name}`' if ticks else name}", "", *_wrapped(about), ""]
    lines += ["| column | type | |", "|---|---|---|"]
    for column, kind, is_nullable, text in rows:
        shown = f"{kind}, may be null" if is_nullable else kind
        lines.append(f"| `{column}` | {shown} | {text} |")
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    main()
