"""Which event loop to run on."""

from __future__ import annotations

import asyncio
import sys

import pytest

from snowcast.runtime import loop


@pytest.fixture(autouse=True)
def _put_back() -> object:
    yield
    asyncio.set_event_loop_policy(None)


def test_uvloop_is_installed_where_there_is_one() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def kind() -> type:
        return type(asyncio.get_running_loop())

    assert loop.install()
    assert asyncio.run(kind()) is uvloop.Loop


def test_without_uvloop_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert not loop.install()
