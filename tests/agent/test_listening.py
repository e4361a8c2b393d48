"""The Unix socket: who may open it, and what stands in its way."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from snowcast.agent.listening import unix_socket
from snowcast.core.errors import UsageError
from snowcast.runtime.errors import BindError


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("mode", "wanted"), [("0600", 0o600), ("0660", 0o660), ("666", 0o666)])
def test_the_socket_is_for_whom_the_settings_say_and_gone_afterwards(
    tmp_path: Path, mode: str, wanted: int
) -> None:
    path = tmp_path / "deep" / "agent.sock"
    with unix_socket(path, mode), socket.socket(socket.AF_UNIX) as caller:
        assert rights(path) == wanted
        assert rights(path.parent) == 0o700
        caller.connect(str(path))
    assert not path.exists()


def test_at_no_moment_may_more_open_it_than_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "agent.sock"
    seen = []
    chmod = Path.chmod

    def watched(self: Path, mode: int) -> None:
        seen.append(rights(self))
        chmod(self, mode)

    monkeypatch.setattr(Path, "chmod", watched)
    before = os.umask(0)
    try:
        with unix_socket(path, "0640"):
            pass
        assert os.umask(0) == 0, "the mask is as it was"
    finally:
        os.umask(before)
    assert seen == [0o600]


def test_a_socket_that_an_agent_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "agent.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with unix_socket(path), socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))


def test_a_socket_that_somebody_listens_on_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "agent.sock"
    with unix_socket(path):
        with pytest.raises(BindError, match="another agent listens on"), unix_socket(path):
            pass
        assert path.exists()


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "agent.sock"
    path.write_text("precious")
    with pytest.raises(UsageError, match="is no socket"), unix_socket(path):
        pass
    assert path.read_text() == "precious"


def test_the_socket_of_the_next_agent_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "agent.sock"
    with unix_socket(path):
        path.unlink()
        path.write_text("the next one's")
    assert path.exists()


@pytest.mark.parametrize("mode", ["rw", "", "1777", "-1", "0o"])
def test_rights_are_octal(tmp_path: Path, mode: str) -> None:
    with pytest.raises(UsageError, match=r"control\.socket_mode: octal"):
        unix_socket(tmp_path / "agent.sock", mode).__enter__()


def test_what_is_too_long_or_cannot_be_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="107 bytes at most"):
        unix_socket(tmp_path / ("x" * 108)).__enter__()
    (tmp_path / "file").touch()
    with pytest.raises(BindError, match="cannot listen on"):
        unix_socket(tmp_path / "file" / "agent.sock").__enter__()
