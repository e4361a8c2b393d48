"""Fifty nodes in several processes on loopback: what real signals do to them."""

from __future__ import annotations

import signal
import time

import pytest

from support.fleet import Fleet, fleet

PROCESSES, NODES_EACH = 6, 8
ALONE = ("killed", "leaver")  # each the only node of its process


def fifty(f: Fleet) -> None:
    """Fifty nodes that join through one."""
    groups = [
        [f"node-{process}-{number}" for number in range(NODES_EACH)] for process in range(PROCESSES)
    ]
    for names in (*groups, *([name] for name in ALONE)):
        f.launch(*names)
    begin = time.monotonic()
    f.join(*f.names)
    f.agree()
    print(f"{len(f.names)} nodes agree {time.monotonic() - begin:.2f} s after the first join")


def story(f: Fleet) -> float:
    """Messages, a kill, a leave; how long it took until the killed one was evicted everywhere."""
    fifty(f)
    everybody = set(f.names)
    assert len(everybody) == 50
    for mode, origin in (("standard", "node-2-3"), ("coloring", "killed"), ("standard", "leaver")):
        f.broadcast(origin, f"{mode} from {origin}", mode=mode)
        f.all_heard(f"{mode} from {origin}", by=everybody - {origin})

    killed_at = f.kill("killed")
    receipt = f.reach("node-4-1", "after the kill", everybody, dead=["killed"])
    living = everybody - {"killed"}
    f.until(lambda: len(f.who_told("MemberEvicted", "killed")) == 49, "the eviction")
    took = max(f.who_told("MemberEvicted", "killed").values()) - killed_at
    print(f"receipt {receipt['elapsed']:.2f} s after the kill; evicted everywhere in {took:.2f} s")
    f.agree(on=living)

    assert f.terminate("leaver") == 0
    staying = living - {"leaver"}
    f.until(lambda: set(f.who_told("MemberLeft", "leaver")) >= staying, "the leave")
    f.agree(on=staying)
    assert not f.who_told("MemberEvicted", "leaver")
    assert {told.member for told in f.told if told.event == "MemberEvicted"} == {"killed"}
    return took


def test_fifty_nodes_join_hear_each_other_survive_a_kill_and_see_who_leaves() -> None:
    with fleet() as f:
        story(f)


@pytest.mark.soak
def test_a_killed_node_is_evicted_everywhere_within_ten_seconds() -> None:
    took = []
    for _ in range(5):
        with fleet() as f:
            took.append(story(f))
            assert not f.late
            assert {t.member for t in f.told if t.event == "MemberSuspected"} <= {"killed"}
    print("evicted everywhere after", [round(t, 2) for t in took], "s")
    assert max(took) < 10


def test_a_process_that_stands_still_is_evicted_and_is_back_when_it_goes_on() -> None:
    with fleet() as f:
        f.start("a", "b", "c")
        f.start("sleeper")
        f.agree()
        f.signal("sleeper", signal.SIGSTOP)
        f.reach("a", "is anybody asleep", f.names, dead=["sleeper"])
        f.until(lambda: len(f.who_told("MemberEvicted", "sleeper")) == 3)
        f.signal("sleeper", signal.SIGCONT)
        f.agree()
        f.complete("a", "good morning", f.names)
