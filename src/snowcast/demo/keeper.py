"""Sees to it that nothing half made is left: a process that clears a place away, or is told not to.

    with Keeper(draft) as keeper:
        ...
        draft.rename(out)
        keeper.release()

It runs beside the process that it is for, and outlives it: that one may be killed at any time, and
what it was writing goes all the same, with what others still write there in the next moments.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

RELEASED = b"released"
LOOKS = 20
LOOK_S = 0.1


class Keeper:
    """Clears `place` away when the block ends, or this process, unless it was released."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._process: subprocess.Popen[bytes]

    def release(self) -> None:
        """There is nothing left to clear away."""
        assert self._process.stdin is not None
        self._process.stdin.write(RELEASED)

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "snowcast.demo.keeper", str(self._place)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt is for whom it serves
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def clear(place: Path) -> None:
    """Remove a place, until nobody has made it again for a while."""
    quiet = 0
    while quiet < LOOKS:
        if place.exists():
            shutil.rmtree(place, ignore_errors=True)
            quiet = 0
        quiet += 1
        time.sleep(LOOK_S)


def main() -> None:
    """Wait for the end of standard input, and act on it."""
    if sys.stdin.buffer.read() != RELEASED:
        clear(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
