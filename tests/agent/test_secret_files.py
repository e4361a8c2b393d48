"""Files with secrets: who can read them, and what is said when somebody else could."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import pytest

from snowcast.agent.secret_files import read_keys, read_token, token, write_keys
from snowcast.core.errors import UsageError


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "token"
    made = token(path)
    assert len(made) >= 40
    assert rights(path) == 0o600
    assert token(path) == read_token(path) == made
    assert token(tmp_path / "other") != made


def test_no_token_is_ever_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        made = token(tmp_path / "token")
    assert "wrote a new token" in caplog.text
    assert made not in caplog.text


@pytest.mark.parametrize("mode", [0o604, 0o666, 0o620])
def test_a_token_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    token(path)
    path.chmod(mode)
    with pytest.raises(UsageError, match=f"chmod 600 {path}"):
        token(path)


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o440, 0o640])
def test_a_group_may_be_given_the_token(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    made = token(path)
    path.chmod(mode)
    assert read_token(path) == made


@pytest.mark.parametrize("content", ["", "short\n", " \n"])
def test_a_token_that_can_be_guessed_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="too short"):
        token(path)


def test_a_token_that_cannot_be_written_or_read_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write a token to .*No such file"):
        token(tmp_path / "nowhere" / "token")
    with pytest.raises(UsageError, match=r"cannot read the token in .*No such file"):
        read_token(tmp_path / "nothing")
    (tmp_path / "binary").write_bytes(b"\xff\xfe" * 20)
    with pytest.raises(UsageError, match="no text"):
        read_token(tmp_path / "binary")


def test_keys_come_back_as_they_were_written_the_primary_first(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    assert read_keys(path) == []
    write_keys(path, ["first", "second"])
    assert read_keys(path) == ["first", "second"]
    assert rights(path) == 0o600
    assert path.read_text().startswith("# The keys")


def test_keys_may_have_comments_and_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("# of May\nfirst  # the new one\n\n  second\n")
    assert read_keys(path) == ["first", "second"]


def test_keys_are_replaced_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "keys"
    write_keys(path, ["old"])

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_keys(path, ["new"])
    assert read_keys(path) == ["old"]
    assert [found.name for found in tmp_path.iterdir()] == ["keys"]


def test_keys_that_everybody_can_read_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "keys"
    write_keys(path, ["secret"])
    read_keys(path)
    assert not caplog.records
    path.chmod(0o644)
    assert read_keys(path) == ["secret"]
    assert "chmod 600" in caplog.text
    assert "secret" not in caplog.messages[0].replace(str(path), "")
