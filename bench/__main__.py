"""Run benchmarks; exit status 1 if one misses a limit."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bench import NAMES
from bench.harness import Row, table, write_json

RESULTS = Path(__file__).resolve().parent.parent / "build" / "bench.json"


def main(argv: Sequence[str] | None = None, results: Path = RESULTS) -> int:
    """Run the benchmarks named, or all; return the exit status."""
    parser = argparse.ArgumentParser("python -m bench", description="Measure, against limits.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; all if none is named")
    parser.add_argument("--list", action="store_true", help="tell which there are")
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: there are {', '.join(NAMES)}")
    if asked.list:
        for name in NAMES:
            print(f"{name:<12} {(import_module(f'bench.{name}').__doc__ or '').splitlines()[0]}")
        return 0
    rows: list[Row] = []
    for name in asked.names or NAMES:
        rows += import_module(f"bench.{name}").rows()
    print(table(rows))
    write_json(rows, results)
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
