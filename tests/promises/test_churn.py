"""The paper's central claim: whatever joins and leaves, those that stay get every message, once.

Each seed is another cluster, of 20 to 200 nodes that join and leave while messages of random
origins are on their way in both modes; the network loses nothing. The views have to differ
meanwhile, or nothing would be shown; and the checkers have to notice when a rule is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from promises.figures import Figure
from snowcast.core import broadcast, joining, trees
from snowcast.core.address import Address
from snowcast.core.config import SECOND
from snowcast.core.frames import Data
from snowcast.core.member import Member, first_incarnation
from snowcast.core.timers import DoorTimer
from snowcast.sim.check import Case, Verdict, check
from snowcast.sim.run import run
from support.scenarios import findings, shipped

SAMPLE = range(5)
FEW = range(3)
ALL = range(2_000)
DIVERGING_MIN = 0.05
"""Of all frames of messages, how many met another view than their sender's: much more, mostly."""

SMALL = {
    "quiet_s": 10,
    "cluster": {"nodes": 40},
    "churn": {"joins_per_s": 6, "leaves_per_s": 6, "until_s": 8},
    "workload": {"messages": 30},
    "draw": {"cluster": {"nodes": [40]}, "churn": {"joins_per_s": [6], "leaves_per_s": [6]}},
    "check": {"no_leaks": None},  # too short a run for all to be forgotten
}
"""Where rules are broken: few nodes that come and go fast."""

Patch = pytest.MonkeyPatch


def test_stable_nodes_get_every_message_once_under_a_sample_of_seeds(figure: Figure) -> None:
    hold(check([Case("churn_random", seed) for seed in SAMPLE]), figure)


@pytest.mark.soak
def test_stable_nodes_get_every_message_once_under_2000_seeds(figure: Figure) -> None:
    hold(check([Case("churn_random", seed) for seed in ALL], jobs=2), figure)


def hold(verdicts: Iterable[Verdict], figure: Figure) -> None:
    """Every run has to hold, and in every run views have to differ."""
    runs = messages = expected = frames = diverging = failed = 0
    share_min = 1.0
    for verdict in verdicts:
        runs += 1
        if verdict.result is None or not verdict.is_ok:
            failed += 1
            figure("failed", f"{verdict.case.command()}: {verdict.complaints()}")
            continue
        measured = verdict.result.measured("stable_covered")
        messages += round(measured["messages"])
        expected += round(measured["expected"])
        frames += round(measured["frames"])
        diverging += round(measured["frames_diverging"])
        share_min = min(share_min, measured["frames_diverging"] / measured["frames"])
    figure("runs", runs)
    figure("messages", messages)
    figure("deliveries that had to be, and were", expected)
    figure("frames that met another view", f"{diverging / frames:.0%}, at least {share_min:.0%}")
    assert failed == 0
    assert share_min > DIVERGING_MIN


# Rules broken on purpose. Each has to be caught under one of a few seeds, by a checker named.


def break_nothing(patch: Patch) -> None:
    """As it is."""


def drop_parts(patch: Patch) -> None:
    """Algorithm 1 as it is printed: the remainder of a division is lost."""

    def floored(first: int, last: int, parts: int) -> list[tuple[int, int]]:
        size = (last - first + 1) // parts
        runs = [(first + part * size, first + (part + 1) * size - 1) for part in range(parts)]
        return [run for run in runs if run[0] <= run[1]]

    patch.setattr(trees, "split", floored)


def drop_what_has_an_unknown_boundary(patch: Patch) -> None:
    """A node that does not know a boundary takes the frame for a mistake."""
    real = broadcast.SnowBroadcaster.on_data

    def narrow(self: Any, sender: Address, data: Data, now_us: int) -> None:
        ring = self.context.view.ring
        if all(boundary is None or boundary in ring for boundary in (data.left, data.right)):
            real(self, sender, data, now_us)

    patch.setattr(broadcast.SnowBroadcaster, "on_data", narrow)


def announce_before_the_view_is_there(patch: Patch) -> None:
    """A joiner is announced as it knocks, and is asked to forward before it knows anybody."""

    def hasty(self: Any, member: Member, now_us: int) -> None:
        self._membership.learn((member,), self._context.me, now_us)
        self._membership.announce((member,), now_us)
        self._waiting[member.address] = member
        self._context.outbox.set_timer(DoorTimer(), now_us + 1 * SECOND)

    patch.setattr(joining.Door, "on_request", hasty)


def take_boundaries_for_members(patch: Patch) -> None:
    """The paper's own rule: a boundary that is not in the view is put there."""
    real = broadcast.SnowBroadcaster.on_data

    def credulous(self: Any, sender: Address, data: Data, now_us: int) -> None:
        view = self.context.view
        for boundary in (data.left, data.right):
            if boundary is not None and boundary not in view.ring:
                known = view.get(boundary)
                newer = first_incarnation(1) if known is None else known.incarnation + 1
                view.merge((Member(boundary, newer),), now_us)
        real(self, sender, data, now_us)

    patch.setattr(broadcast.SnowBroadcaster, "on_data", credulous)


@pytest.mark.parametrize(
    ("break_rule", "checker"),
    [
        (break_nothing, None),
        (drop_parts, "stable_covered"),
        (drop_what_has_an_unknown_boundary, "stable_covered"),
        (announce_before_the_view_is_there, "stable_covered"),
        (take_boundaries_for_members, "views_converge"),
    ],
)
def test_a_broken_rule_is_noticed(
    break_rule: Callable[[Patch], None], checker: str | None, monkeypatch: Patch, figure: Figure
) -> None:
    break_rule(monkeypatch)
    for seed in FEW:
        found = findings(run(shipped("churn_random", **SMALL), seed))
        if checker is None:
            assert found == {}
        elif checker in found:
            figure("noticed under seed", f"{seed}: {found[checker][0]}")
            return
    assert checker is None, f"{checker} is content with it"
