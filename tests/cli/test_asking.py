"""What the commands share that ask an agent: how they find one, fail, and write."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.agent.client import NoAgent, Refused
from snowcast.agent.routes import COMMON_PROBLEMS
from snowcast.cli import asking
from snowcast.cli.statuses import NO, NO_AGENT, REFUSED, STATUSES, USAGE, Failure

ASKING = [
    ["members"], ["info", "x"], ["broadcast", "x"], ["listen"], ["status"], ["reachability"],
    ["who-disagrees"], ["keys", "list"], ["keys", "use", "x"], ["keys", "remove", "x"], ["tags"],
    ["force-leave", "x"], ["leave"],
]  # fmt: skip


@pytest.mark.parametrize("words", ASKING, ids=" ".join)
def test_where_no_agent_is_every_command_says_so_in_a_line(
    call: Any, words: list[str], tmp_path: Path
) -> None:
    where = str(tmp_path / "nothing.sock")
    for options in (["--agent", where], ["-a", where, "--json"]):
        told = call(*words, *options)
        assert (told.status, told.out) == (NO_AGENT, "")
        assert told.err.endswith(
            f"no agent at {where} (No such file or directory): start one, with `snowcast agent`, "
            "or say where it is, with --agent\n"
        )
        assert told.err.count("\n") == 1


def test_the_environment_says_where_and_a_flag_says_otherwise(
    call: Any, at: Any, monkeypatch: pytest.MonkeyPatch, trio: Any
) -> None:
    assert call("status", "--json").json["name"] == "a"
    assert call("status", "--json", "-a", trio.all[1].socket).json["name"] == "b"
    monkeypatch.setenv("SNOWCAST_AGENT", "127.0.0.1:7373")
    told = call("status")
    assert told.status == USAGE
    assert "did you mean http://127.0.0.1:7373?" in told.err


def test_a_token_file_that_is_not_there_is_the_callers_mistake(call: Any) -> None:
    told = call("status", "--agent", "http://127.0.0.1:1", "--token-file", "/nothing")
    assert told.status == USAGE
    assert "cannot read the token in /nothing" in told.err


@pytest.mark.parametrize("status", COMMON_PROBLEMS)
def test_every_refusal_ends_with_a_status_of_the_table(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Failure, match="why") as failure, asking.agent("x.sock", None):
        raise Refused(status, "word", "why")
    assert failure.value.status in STATUSES
    expected = {400: USAGE, 413: USAGE, 404: NO, 504: NO}.get(status, REFUSED)
    assert failure.value.status == expected
    assert set(asking.ENDS) <= {int(one) for one in HTTPStatus}


def test_no_agent_is_a_status_of_its_own() -> None:
    with pytest.raises(Failure) as failure, asking.agent("x.sock", None):
        raise NoAgent("nobody")
    assert failure.value.status == NO_AGENT


@given(st.text())
def test_nothing_shown_does_anything_to_a_terminal(text: str) -> None:
    shown = asking.shown(text)
    assert shown.isprintable()
    assert len(shown) >= len(text)
    if text.isprintable():
        assert shown == text


def test_a_table_is_as_wide_as_what_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    asking.table(("NAME", "N"), [("a", 1), ("longer", 22), ("b\n", "")])
    assert capsys.readouterr().out == "NAME    N\na       1\nlonger  22\nb\\x0a\n"


def test_colours_are_for_those_who_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert asking.coloured("left", fg="red") == "\x1b[31mleft\x1b[0m"
    assert asking.coloured("left", fg=None) == "left"
    monkeypatch.setenv("NO_COLOR", "1")
    assert asking.coloured("left", fg="red") == "left"


def test_many_names_are_cut_and_counted() -> None:
    assert asking.some(["a", "b\t"]) == "a, b\\x09"
    assert asking.some([str(n) for n in range(23)]).endswith("18, 19 and 3 more")
    assert asking.tags_text({"zone": "a", "rack": ""}) == "zone=a,rack="
