"""A run: what the plan says is done, what cannot be done is counted, and the checkers are asked."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from snowcast.core.effects import Delivered, Notice
from snowcast.core.errors import UsageError
from snowcast.core.member import State
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.run import RunResult, record, run
from snowcast.sim.scenario import Scenario, parse
from snowcast.sim.simnode import SimNode
from snowcast.trace.files import TraceReader, fingerprint
from snowcast.trace.schema import ArrivalRow, MessageRow, NodeRow, Row, RunRow

ALL_CHECKS = {
    "delivered_once": {},
    "stable_covered": {},
    "views_converge": {},
    "receipts_truthful": {},
    "no_false_evictions": {},
}


class Diary(Observer):
    """What happened to which node, and what was delivered."""

    def __init__(self) -> None:
        self.changes: list[tuple[int, NodeChange]] = []
        self.payloads: set[bytes] = set()
        self.nodes: dict[int, SimNode] = {}

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        self.changes.append((node.index, what))
        self.nodes[node.index] = node

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, Delivered):
            self.payloads.add(notice.payload)


def scenario(**tables: Any) -> Scenario:
    """Ten nodes, and these tables."""
    return parse({"cluster": {"nodes": 10}, "quiet_s": 2, **tables})


def event(do: str, at_s: float = 1, **keys: Any) -> dict[str, Any]:
    """One `[[event]]`."""
    return {"do": do, "at_s": at_s, **keys}


def changes_of(*events: dict[str, Any], quiet_s: float = 2) -> list[tuple[int, NodeChange]]:
    """What happens to nodes in a scenario of these events, once they are booted."""
    diary = Diary()
    run(scenario(event=list(events), quiet_s=quiet_s), 1, [diary])
    return [change for change in diary.changes if change[1] is not NodeChange.BOOTED]


def test_messages_are_sent_delivered_and_checked() -> None:
    result = run(scenario(workload={"messages": 4}, check=ALL_CHECKS), seed=3)

    assert result.is_ok
    assert [outcome.name for outcome in result.outcomes] == list(ALL_CHECKS)
    assert (result.seed, result.nodes, result.joined) == (3, 10, 0)
    assert (result.messages, result.deliveries, result.skipped) == (4, 36, 0)
    assert result.frames["Data"] == 36
    assert result.lost == {}
    assert result.ended_us == 6_000_000
    assert result.measured("delivered_once") == {"deliveries": 36}


@pytest.mark.parametrize("payload_bytes", [0, 3, 8, 100])
def test_payloads_have_the_size_that_was_asked_for(payload_bytes: int) -> None:
    diary = Diary()
    run(scenario(workload={"messages": 1, "payload_bytes": payload_bytes}), 1, [diary])

    assert {len(payload) for payload in diary.payloads} == {payload_bytes}


def test_every_kind_of_event_reaches_its_node() -> None:
    assert changes_of(event("crash", nodes=[2])) == [(2, NodeChange.CRASHED)]
    assert changes_of(event("kill", nodes=[2])) == [(2, NodeChange.KILLED)]
    assert changes_of(event("leave", nodes=[2])) == [(2, NodeChange.LEAVING)]
    assert changes_of(event("join")) == [(10, NodeChange.JOINING)]
    assert changes_of(event("pause", nodes=[2], for_s=1)) == [
        (2, NodeChange.PAUSED),
        (2, NodeChange.RESUMED),
    ]
    assert changes_of(event("kill", 1, nodes=[2]), event("restart", 2, nodes=[2])) == [
        (2, NodeChange.KILLED),
        (2, NodeChange.RESTARTED),
    ]


def test_a_leaver_is_down_when_it_has_forwarded_long_enough() -> None:
    assert changes_of(event("leave", nodes=[2]), quiet_s=32)[-1] == (2, NodeChange.LEFT)


def test_a_partition_ends_when_it_has_to() -> None:
    tables = {"cluster": {"nodes": 10, "config": {"tombstone_us": 60_000_000}}}
    cut = event("partition", 1, share=0.5, for_s=40)
    diary = Diary()
    result = run(
        scenario(event=[cut], quiet_s=100, check={"views_converge": {}}, **tables), 1, [diary]
    )

    assert result.is_ok
    assert result.lost["rule"] > 0
    assert {node.node.me.state for node in diary.nodes.values()} == {State.ALIVE}


def test_a_disturbance_without_an_end_lasts() -> None:
    lossy = event("lossy", 1, nodes=[2], rate=1.0)

    assert run(scenario(event=[lossy]), 1).lost["rule"] > 0


def test_steps_that_have_become_impossible_are_counted() -> None:
    def skipped(*events: dict[str, Any], **tables: Any) -> int:
        return run(scenario(event=list(events), **tables), 1).skipped

    paused = event("pause", 1, nodes=[2], for_s=9)
    spoken = {"messages": 1, "origin": 2, "start_s": 2}
    # The plan spares whoever has to speak, unless the scenario itself names it.
    assert skipped(paused, workload=spoken) == 1
    assert skipped(paused, event("leave", 2, nodes=[2])) == 1
    assert skipped(event("crash", 1, nodes=[2]), event("pause", 0.5, nodes=[2], for_s=1)) == 0


def test_nobody_broadcasts_before_it_is_a_member() -> None:
    join = event("join", 1, contact="first")
    halt = event("pause", 0.9, nodes=[0], for_s=30)
    workload = {"messages": 60, "interval_ms": 200, "origin": "random", "settle_s": 1}
    result = run(scenario(event=[halt, join], workload=workload), 1)

    assert result.skipped > 0
    assert result.messages + result.skipped == 60


def test_what_a_checker_finds_is_in_the_result() -> None:
    tables = {"event": [event("crash", 1, nodes=[2])], "check": {"views_converge": {}}}
    result = run(scenario(**tables), 1)

    assert not result.is_ok
    assert result.outcomes[0].found == 9


def test_progress_is_told_until_the_end() -> None:
    told: list[tuple[int, int]] = []
    run(scenario(), 1, progress=lambda passed_us, all_us: told.append((passed_us, all_us)))

    assert [passed_us for passed_us, _ in told] == list(range(250_000, 2_000_001, 250_000))
    assert {all_us for _, all_us in told} == {2_000_000}


def test_a_run_is_written_as_a_trace(tmp_path: Path) -> None:
    run(scenario(workload={"messages": 2}), 5, name="mine", out=tmp_path / "trace")

    reader = TraceReader(tmp_path / "trace")
    (row,) = reader.rows(RunRow)
    assert (row.run, row.scenario, row.seed) == ("mine-standard-5", "mine", 5)
    assert len(list(reader.rows(NodeRow))) == 10
    assert len(list(reader.rows(MessageRow))) == 2
    assert sum(1 for arrival in reader.rows(ArrivalRow) if arrival.kind == "data") == 18


def test_rows_go_where_the_caller_wants_them(tmp_path: Path) -> None:
    rows: list[Row] = []
    tables = {"workload": {"messages": 2}}
    result = record(scenario(**tables), 5, rows.append, name="mine", variant="v", label="one")

    assert result == run(scenario(**tables), 5, out=tmp_path / "trace")
    (about,) = [row for row in rows if isinstance(row, RunRow)]
    assert (about.run, about.scenario, about.variant) == ("one", "mine", "v")
    assert {row.run for row in rows} == {"one"}
    written = TraceReader(tmp_path / "trace").rows(ArrivalRow)
    assert [msgspec.structs.replace(row, run="one") for row in written] == [
        row for row in rows if isinstance(row, ArrivalRow)
    ]


def test_a_trace_is_not_written_over_another(tmp_path: Path) -> None:
    run(scenario(), 5, out=tmp_path / "trace")

    with pytest.raises(UsageError, match="there is a trace already"):
        run(scenario(), 5, out=tmp_path / "trace")


def test_a_trace_that_cannot_be_written_is_the_callers_business(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match="file"):
        run(scenario(), 5, out=tmp_path / "file" / "trace")


def busy() -> Scenario:
    """A scenario in which everything happens."""
    return scenario(
        quiet_s=5,
        workload={"messages": 20, "interval_ms": 300, "origin": "random", "mode": "random"},
        processing={"delay_ms": [10, 200], "stragglers": "random"},
        churn={"joins_per_s": 1, "leaves_per_s": 1, "until_s": 8},
        pauses={"share": 0.2, "for_s": 1, "until_s": 8},
        event=[event("crash", 3, count=1), event("lossy", 2, count=1, rate=0.5, for_s=4)],
    )


def test_the_same_seed_gives_the_same_trace_and_another_does_not(tmp_path: Path) -> None:
    prints = []
    for number, seed in enumerate((7, 7, 8)):
        out = tmp_path / str(number)
        run(busy(), seed, out=out)
        prints.append(fingerprint(out))

    assert prints[0] == prints[1] != prints[2]


def test_checkers_do_not_change_the_run() -> None:
    def without_outcomes(result: RunResult) -> tuple[Any, ...]:
        return result.frames, result.lost, result.deliveries, result.ended_us

    plain = busy()
    checked = parse({"check": ALL_CHECKS, **_tables(plain)})

    assert without_outcomes(run(plain, 2)) == without_outcomes(run(checked, 2))


def test_both_protocols_meet_the_same_plan() -> None:
    seen = []
    for protocol in ("standard", "coloring"):
        diary = Diary()
        run(busy().with_(protocol=protocol), 4, [diary])
        seen.append([change for change in diary.changes if change[1] is not NodeChange.LEFT])

    assert seen[0] == seen[1]


def _tables(scenario: Scenario) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(scenario)
    del values["check"]
    return values
