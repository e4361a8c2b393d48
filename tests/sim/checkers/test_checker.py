"""What all checkers share: findings in words, but not without end."""

import pytest

from snowcast.sim.checkers.checker import FINDINGS_MAX, Checker, Options, Outcome, seconds
from snowcast.sim.scenario import parse


def test_a_checker_that_found_nothing_is_ok() -> None:
    outcome = Checker().outcome()

    assert outcome == Outcome("", (), 0)
    assert outcome.is_ok


def test_findings_are_counted_when_they_are_too_many_for_words() -> None:
    checker = Checker()
    for number in range(FINDINGS_MAX + 5):
        checker.wrong(f"finding {number}")

    outcome = checker.outcome()

    assert not outcome.is_ok
    assert outcome.found == FINDINGS_MAX + 5
    assert outcome.findings == tuple(f"finding {number}" for number in range(FINDINGS_MAX))


def test_what_a_protocol_does_not_promise_is_told_and_not_held_against_it() -> None:
    checker = Checker()
    checker.wrong("somebody missed it")

    outcome = checker.outcome(is_snow=False)

    assert outcome == Outcome("", ("somebody missed it",), 1, is_promised=False)
    assert outcome.is_ok


@pytest.mark.parametrize(
    ("name", "is_promised"),
    [
        ("delivered_once", True),
        ("no_leaks", True),
        ("no_false_evictions", True),
        ("stable_covered", False),
        ("views_converge", False),
        ("receipts_truthful", False),
        ("crashes_detected", False),
    ],
)
def test_baselines_promise_what_does_not_depend_on_who_is_reached(
    name: str, is_promised: bool
) -> None:
    (checker,) = parse({"check": {name: {}}}).check.make()

    assert checker.outcome(is_snow=False).is_promised is is_promised
    assert checker.outcome().is_promised


def test_options_of_no_checker_make_none() -> None:
    with pytest.raises(NotImplementedError):
        Options().make()


def test_times_are_told_in_seconds() -> None:
    assert seconds(1_234_567) == "1.235 s"
