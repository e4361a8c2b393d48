"""SIGTERM and SIGINT cancel what runs, once, and come out as an interrupt."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from snowcast.cli.signals import run_until_stopped


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_cancels_what_runs_and_lets_it_put_things_away(number: signal.Signals) -> None:
    before, put_away = signal.getsignal(number), []

    async def main() -> None:
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), number)
        try:
            await asyncio.Event().wait()
        finally:
            os.kill(os.getpid(), number)  # an impatient one: it changes nothing
            await asyncio.sleep(0.05)
            put_away.append(True)

    with pytest.raises(KeyboardInterrupt):
        run_until_stopped(main())
    assert put_away == [True]
    assert signal.getsignal(number) is before


def test_what_is_not_stopped_gives_its_result_and_its_own_cancellation_is_no_interrupt() -> None:
    async def answer() -> int:
        return 7

    async def cancelled() -> None:
        raise asyncio.CancelledError

    assert run_until_stopped(answer()) == 7
    with pytest.raises(asyncio.CancelledError):
        run_until_stopped(cancelled())
