"""Where an agent is found when nobody says otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from snowcast.agent.places import default_socket
from snowcast.core.errors import UsageError


def as_user(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)


def test_the_agent_of_root_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    as_user(monkeypatch, 0)
    assert default_socket() == "/run/snowcast/agent.sock"


def test_a_user_has_an_agent_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    as_user(monkeypatch, 1000)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    assert default_socket() == "/run/user/1000/snowcast/agent.sock"


def test_without_a_folder_of_their_own_it_is_among_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    as_user(monkeypatch, 1000)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    folder = tmp_path / "snowcast-1000"
    assert default_socket() == f"{folder}/agent.sock"

    folder.mkdir()
    monkeypatch.setattr(
        Path, "lstat", lambda path: os.stat_result((0o40700, 0, 0, 1, 1000, 0) + (0,) * 4)
    )
    assert default_socket() == f"{folder}/agent.sock", "it is this user's"


def test_a_folder_that_somebody_else_has_put_there_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stranger = os.geteuid() + 1000
    as_user(monkeypatch, stranger)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / f"snowcast-{stranger}").mkdir()  # by this user, who is another one
    with pytest.raises(UsageError, match="belongs to somebody else"):
        default_socket()
    (tmp_path / f"snowcast-{stranger}").rmdir()
    (tmp_path / f"snowcast-{stranger}").symlink_to("/")
    with pytest.raises(UsageError, match="belongs to somebody else"):
        default_socket()
