"""The story: what is recorded, act by act, and the scenario that each act is in the simulator.

Rules of this file:
- An act is a run of its own in the traces, played by one cluster that goes on living.
- Its scenario is the same act for simulated nodes: origins, delays and stragglers follow from the
  same seed, so that the two can stand side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from snowcast.core.trees import Mode
from snowcast.planning.build import build_plan
from snowcast.planning.figures import blast
from snowcast.sim.plan import Say
from snowcast.sim.scenario import Scenario, parse
from snowcast.sim.workload import plan

NODES = 60
FANOUT = 4
SEED = 1
ORIGIN = 0
NEWCOMER = NODES
DELAY_MS = (10, 200)
STRAGGLER_MS = 1_000
MESSAGES = 4


def _victim() -> int:
    """Whose silence costs most: of the nodes, the one with the most below it."""
    return blast(build_plan(NODES, FANOUT, ORIGIN, Mode.STANDARD)).ranking()[0][0]


VICTIM = _victim()
LEAVER = (VICTIM + NODES // 2) % NODES


class Act(NamedTuple):
    """One run: a protocol in a scenario of the demo."""

    name: str
    protocol: str
    title: str
    short: str
    """What it is called in a table."""
    text: str
    tables: dict[str, Any]
    """What its scenario has beside what all have."""

    @property
    def run(self) -> str:
        """What the run on real nodes is called in the trace."""
        return f"{self.name}-{self.protocol}-real"

    def scenario(self) -> Scenario:
        """The act for the simulator."""
        return parse({**COMMON, "protocol": self.protocol, **self.tables})

    def says(self) -> list[Say]:
        """Its messages, in order."""
        return [step for step in plan(self.scenario(), SEED).steps if isinstance(step, Say)]


COMMON: dict[str, Any] = {
    "quiet_s": 5,
    "cluster": {"nodes": NODES, "fanout": FANOUT},
    "processing": {
        "delay_ms": DELAY_MS,
        "stragglers": "random",
        "straggler_ms": STRAGGLER_MS,
    },
}


def _messages(count: int, start_s: float, **others: Any) -> dict[str, Any]:
    return {
        "messages": count,
        "start_s": start_s,
        "interval_ms": 3_000,
        "origin": ORIGIN,
        "settle_s": 0,
        **others,
    }


def _silence(at_s: float) -> dict[str, Any]:
    return {"at_s": at_s, "do": "crash", "nodes": [VICTIM]}


STANDARD = Act(
    "demo",
    "standard",
    "One tree: Standard",
    "one tree",
    "Every node knows the ring. Who gets a message gets a part of the ring with it, and passes it "
    "on to four others, who each cover a part of that. Nodes work 10-200 ms on a message before "
    "they pass it on, and three slow ones take a second, as in the paper.",
    {"workload": _messages(MESSAGES, 1, origin="random")},
)
COLORING = Act(
    "demo",
    "coloring",
    "Two trees: Coloring",
    "two trees",
    "The same four messages along two trees that share no inner node. Each node delivers the copy "
    "that comes first: a slow one holds up nobody.",
    {"workload": _messages(MESSAGES, 1, origin="random")},
)
LOSS = Act(
    "demo-death",
    "standard",
    f"n{VICTIM:02} falls silent",
    "silent death",
    "No connection breaks, no packet is refused: it hears nothing any more and says nothing. "
    "Nobody knows. A plain message along one tree goes to it as if nothing were.",
    {"workload": _messages(1, 1), "event": [_silence(0.5)]},
)
DETOUR = Act(
    "demo-death",
    "coloring",
    "The second tree",
    "silent death",
    "Still nobody knows. With Coloring each node hears over two paths that share no relay, and one "
    "death cuts at most one of them.",
    {"workload": _messages(1, 1), "event": [_silence(0.5)]},
)
REPAIR = Act(
    "demo-repair",
    "standard",
    "Reliable Message",
    "repair",
    "One tree again, but with acks. A parent that hears nothing from a child for a second sends to "
    "that one's children itself, and the origin learns by name who did not get it.",
    {"workload": _messages(1, 1, reliable=True), "event": [_silence(0.5)]},
)
COMINGS = Act(
    "demo-churn",
    "coloring",
    "One comes, one goes",
    "join and leave",
    f"n{NEWCOMER} joins and n{LEAVER:02} leaves while messages flow. Views differ for a moment; "
    "nobody who stays misses anything.",
    {
        "workload": _messages(3, 15),
        "event": [
            _silence(0.5),
            {"at_s": 14.99, "do": "join", "contact": "first"},
            {"at_s": 17.99, "do": "leave", "nodes": [LEAVER]},
        ],
    },
)
ACTS = (STANDARD, COLORING, LOSS, DETOUR, REPAIR, COMINGS)
