"""Write tests/known_answers/smoke.json: what every protocol comes to in the scenario `smoke`.

Run it when a change alters on purpose how a protocol behaves, and say in the commit why each number
that moved had to. With --check nothing is written, and the exit status says whether the file is
current. The scenario is run with full nodes under one seed, so the numbers are the same anywhere.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = ROOT / "tests" / "known_answers" / "smoke.json"
SCENARIO = ROOT / "scenarios" / "smoke.toml"
SEED = 0
DIGITS = 6
METRICS = (
    "reliability",
    "reliability_live",
    "ldt_ms",
    "ldt_first_to_last_ms",
    "rmr_bytes",
    "copies_mean",
)


def main() -> None:
    """Write the file, or say that it is out of date."""
    parser = argparse.ArgumentParser(description="Write what smoke comes to for each protocol.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    checking = parser.parse_args().check
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]
    found = answers()
    known = json.loads(ANSWERS.read_text(encoding="utf-8")) if ANSWERS.exists() else {}
    moved = [f"{protocol}: {line}" for protocol in found for line in _moved(protocol, known, found)]
    print("\n".join(moved) or "nothing has moved")
    if checking:
        sys.exit(1 if moved else 0)
    ANSWERS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def answers() -> dict[str, dict[str, Any]]:
    """What each protocol comes to, by its name."""
    from snowcast.baselines.registry import protocol_names

    return {name: answer(name) for name in protocol_names()}


def answer(protocol: str) -> dict[str, Any]:
    """What one protocol comes to: its metrics over all messages, and what was counted."""
    from snowcast.sim.scenario import load
    from support.measured import measured

    run = measured(load(SCENARIO).with_(protocol=protocol), SEED)
    counted = {
        "messages": len(run.messages),
        "delivered": sum(one.delivered for one in run.messages),
        "copies": sum(one.copies for one in run.messages),
        "data_bytes": sum(one.data_bytes for one in run.messages),
        "last_us_max": max(one.last_us for one in run.messages),
    }
    return counted | {metric: round(getattr(run, metric), DIGITS) for metric in METRICS}


def _moved(protocol: str, known: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """What is another number now, a line each."""
    before, now = known.get(protocol, {}), found[protocol]
    keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    return [f"{key} was {before.get(key)} and is {now.get(key)}" for key in keys]


if __name__ == "__main__":
    main()
