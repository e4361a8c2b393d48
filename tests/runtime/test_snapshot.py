"""What a node remembers across restarts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.core.wire import uvarint
from snowcast.runtime import snapshot
from support.loops import local


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "node.json"
    known = snapshot.of_members("a", 7, [local(port) for port in range(1, 40)])
    snapshot.save(path, known)

    loaded = snapshot.load(path, "a")

    assert loaded == known
    assert known.contacts() == tuple(local(port) for port in range(1, 1 + snapshot.CONTACTS_MAX))
    assert list(tmp_path.iterdir()) == [path], "no draft is left"


def test_a_new_life_is_later_than_the_last_whatever_the_clock_says() -> None:
    ahead = (int(time.time()) + 1_000_000) * snapshot.TICKS_PER_S
    last = snapshot.Snapshot(cluster="a", life=ahead)
    assert snapshot.begin_life(local(1), last) == ahead + 1
    assert snapshot.begin_life(local(1), None) == ahead + 2, "this process remembers"
    assert snapshot.begin_life(local(2), None) < ahead, "of another node"


def test_a_life_takes_five_bytes_in_a_frame() -> None:
    assert len(uvarint(snapshot.begin_life(local(3), None))) == 5


def test_what_is_missing_damaged_or_of_another_cluster_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "node.json"
    assert snapshot.load(path, "a") is None
    path.write_text("{")
    assert snapshot.load(path, "a") is None
    snapshot.save(path, snapshot.Snapshot(cluster="b", life=1))
    assert snapshot.load(path, "a") is None
    assert len(caplog.messages) == 2


def test_a_contact_that_is_no_address_is_passed_over() -> None:
    damaged = snapshot.Snapshot(cluster="a", life=1, members=("nonsense", "127.0.0.1:7001"))
    assert damaged.contacts() == (local(7001),)


def test_a_snapshot_that_cannot_be_read_is_an_error_and_one_that_cannot_be_written_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        snapshot.load(tmp_path, "a")
    nowhere = tmp_path / "missing" / "node.json"
    snapshot.save_if_new(nowhere, snapshot.Snapshot(cluster="a", life=1))
    assert "cannot write" in caplog.text
