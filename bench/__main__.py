"""Run benchmarks and show what they found; with `--strict`, exit status 1 if a limit is missed."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from bench import NAMES
from bench.harness import table, write_json

RESULTS = Path(__file__).resolve().parent.parent / "build" / "bench.json"


def main(argv: Sequence[str] | None = None, results: Path = RESULTS) -> int:
    """Run the benchmarks named, or all; return the exit status."""
    parser = argparse.ArgumentParser(
        "python -m bench", description="Measure, beside what it is compared with, against limits."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; all if none is named")
    parser.add_argument("--list", action="store_true", help="tell which there are")
    parser.add_argument("--strict", action="store_true", help="fail if a limit is missed")
    parser.add_argument(
        "--json",
        type=Path,
        default=results,
        metavar="FILE",
        help="where the rows go, beside those of the benchmarks that do not run now "
        "(default: build/bench.json)",
    )
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}: there are {', '.join(NAMES)}")
    if asked.list:
        for name in NAMES:
            print(f"{name:<12} {(import_module(f'bench.{name}').__doc__ or '').splitlines()[0]}")
        return 0
    missed = 0
    for name in asked.names or NAMES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows = list(import_module(f"bench.{name}").rows())
        print(table(rows), end="\n\n", flush=True)
        write_json(name, rows, asked.json)
        missed += sum(not row.ok for row in rows)
    return 1 if missed and asked.strict else 0


if __name__ == "__main__":
    sys.exit(main())
