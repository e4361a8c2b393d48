"""Write docs/RESULTS.md: the paper's numbers beside ours, the figures, and what `make bench` found.

    tools/write_results.py --report build/evaluation/report --bench build/bench.json

What the page is made of is kept in docs/results: `results.json`, the figures, and what people have
written about the differences, `differences.md`. So each part can be renewed alone, and with neither
option the page is written again from what is kept. A report that stands beside the paper's numbers
on few seeds, as a quick evaluation does, is refused unless --allow-few is given. With --check
nothing is written, and the exit status says whether the page is current.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snowcast.report.measured import FEW
from snowcast.report.results import results_page

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE, FOLDER, KEPT, MORE = "RESULTS.md", "results", "results.json", "differences.md"
PARTS = ("setting", "comparison", "paired", "reached", "figures")
"""What of a report's document the page needs; the rest is too much to keep."""


def main(argv: Sequence[str] | None = None, docs: Path = DOCS) -> None:
    """Renew what is kept, and write the page, or say that it is out of date."""
    parser = argparse.ArgumentParser(description="Write docs/RESULTS.md.")
    parser.add_argument("--report", type=Path, metavar="DIR", help="what `snowcast report` wrote")
    parser.add_argument("--bench", type=Path, metavar="FILE", help="what `make bench` wrote")
    parser.add_argument("--allow-few", action="store_true", help="keep a report of few seeds, too")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    asked = parser.parse_args(argv)
    if asked.check:
        if not is_current(docs):
            sys.exit("docs/RESULTS.md is out of date: run tools/write_results.py")
        return
    if asked.report:
        _keep_report(asked.report, docs / FOLDER, asked.allow_few)
    if asked.bench:
        _keep(docs / FOLDER, {"bench": json.loads(asked.bench.read_text(encoding="utf-8"))})
    (docs / PAGE).write_text(page(docs), encoding="utf-8")
    print(f"wrote {docs / PAGE}")


def is_current(docs: Path = DOCS) -> bool:
    """Whether the page is what is kept would give; it is if neither is there."""
    there = docs / PAGE
    if not (docs / FOLDER / KEPT).exists():
        return not there.exists()
    return there.exists() and there.read_text(encoding="utf-8") == page(docs)


def page(docs: Path) -> str:
    """The page, of what is kept."""
    document = _kept(docs / FOLDER)
    if not document:
        sys.exit("nothing is kept in docs/results yet: give --report")
    more = docs / FOLDER / MORE
    text = more.read_text(encoding="utf-8") if more.exists() else ""
    return results_page(document, document.get("bench"), f"{FOLDER}/", text)


def _keep_report(report: Path, folder: Path, allow_few: bool) -> None:
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    few = [] if allow_few else _few(document)
    if few:
        sys.exit(
            f"fewer than {FEW} runs of {', '.join(few)}: run the full evaluation, or give "
            "--allow-few"
        )
    _keep(folder, {part: document[part] for part in PARTS if part in document})
    names = {f"{figure['name']}.svg" for figure in document["figures"]}
    for old in folder.glob("*.svg"):
        if old.name not in names:
            old.unlink()
    for name in names:
        shutil.copyfile(report / name, folder / name)


def _few(document: dict[str, Any]) -> list[str]:
    """Which protocols stand beside the paper's numbers on few runs, and where."""
    return list(
        dict.fromkeys(
            f"{row['protocol']} in {row['setting']}"
            for row in document["comparison"]
            if row["paper"] is not None and row["simulated"] and row["simulated"]["runs"] < FEW
        )
    )


def _keep(folder: Path, parts: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**_kept(folder), **parts}, indent=1)
    (folder / KEPT).write_text(f"{text}\n", encoding="utf-8")


def _kept(folder: Path) -> dict[str, Any]:
    path = folder / KEPT
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


if __name__ == "__main__":
    main()
