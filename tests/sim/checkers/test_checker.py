"""What all checkers share: findings in words, but not without end."""

import pytest

from snowcast.sim.checkers.checker import FINDINGS_MAX, Checker, Options, Outcome, seconds


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


def test_options_of_no_checker_make_none() -> None:
    with pytest.raises(NotImplementedError):
        Options().make()


def test_times_are_told_in_seconds() -> None:
    assert seconds(1_234_567) == "1.235 s"
