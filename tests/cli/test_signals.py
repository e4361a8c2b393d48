"""SIGTERM is an interrupt, within the block and not after it."""

from __future__ import annotations

import os
import signal

import pytest

from snowcast.cli.signals import stopped_by_sigterm


def test_sigterm_interrupts_within_the_block_only() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stopped_by_sigterm():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
