"""Cuts what a socket receives into frames, with no buffer of its own for a connection at rest.

Small frames are read into a scratch buffer that all connections of a loop share: asyncio fills a
buffer and tells of it in one go. Other loops have their own, for they may run in other threads. A
frame that does not fit is read in place, into memory of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from snowcast.core.codec import decode_at, decode_large
from snowcast.core.errors import FrameError
from snowcast.core.frames import Frame
from snowcast.core.wire import read_uvarint

SCRATCH_BYTES = 256 << 10
IN_PLACE_BYTES = 64 << 10  # from this length on, an incomplete frame is read in place
_PREFIX_BYTES = 4

_scratches: WeakKeyDictionary[asyncio.AbstractEventLoop, memoryview] = WeakKeyDictionary()


def scratch() -> memoryview:
    """The buffer that the connections of the running loop share."""
    loop = asyncio.get_running_loop()
    found = _scratches.get(loop)
    if found is None:
        found = _scratches[loop] = memoryview(bytearray(SCRATCH_BYTES))
    return found


class Framer:
    """The receiving end of one connection.

    The first frame may have `first_bytes_max` bytes, the others `bytes_max`. Once `broken` is set
    the stream is lost: close it. `on_large` is called when memory is taken for a frame of its own.
    """

    __slots__ = (
        "_bytes_max",
        "_filled",
        "_in_place",
        "_limit",
        "_on_large",
        "_rest",
        "_scratch",
        "broken",
    )

    def __init__(
        self,
        scratch: memoryview,
        first_bytes_max: int,
        bytes_max: int,
        on_large: Callable[[], None] | None = None,
    ) -> None:
        self._scratch = scratch
        self._limit = first_bytes_max
        self._bytes_max = bytes_max
        self._rest = b""
        self._in_place: bytearray | None = None
        self._filled = 0
        self._on_large = on_large
        self.broken: FrameError | None = None

    @property
    def pending_bytes(self) -> int:
        """How much of an incomplete frame is held."""
        return self._filled if self._in_place is not None else len(self._rest)

    @property
    def reserved_bytes(self) -> int:
        """How much memory an incomplete frame has of its own."""
        return len(self._in_place) if self._in_place is not None else 0

    def close(self) -> None:
        """Nothing more comes: let go of what is held."""
        self._rest, self._in_place, self._on_large = b"", None, None

    def buffer(self) -> memoryview:
        """Where the next bytes are to go."""
        if self._in_place is not None:
            return memoryview(self._in_place)[self._filled :]
        return self._scratch

    def received(self, count: int) -> list[Frame]:
        """The frames that `count` more bytes in `buffer()` complete."""
        try:
            if self._in_place is not None:
                return self._received_in_place(self._in_place, count)
            return self._cut(self._rest + self._scratch[:count])
        except FrameError as error:
            self.broken = error
            return []

    def _received_in_place(self, body: bytearray, count: int) -> list[Frame]:
        self._filled += count
        if self._filled < len(body):
            return []
        self._in_place = None
        return [decode_large(body)]

    def _cut(self, data: bytes) -> list[Frame]:
        frames: list[Frame] = []
        at, size = 0, len(data)
        try:
            while at < size:
                length = data[at]
                start = at + 1
                if length >= 0x80:
                    prefix = data[at : at + _PREFIX_BYTES]
                    if prefix[-1] >= 0x80 and len(prefix) < _PREFIX_BYTES:
                        break
                    length, used = read_uvarint(prefix, 0)
                    start = at + used
                if length > self._limit:
                    raise FrameError(f"a frame of {length} bytes, over the limit of {self._limit}")
                end = start + length
                if end > size:
                    if length >= IN_PLACE_BYTES:
                        self._begin_in_place(data[start:], length)
                        at = size
                    break
                frames.append(decode_at(data, start, end))
                self._limit = self._bytes_max
                at = end
        except FrameError as error:
            self.broken = error
        self._rest = data[at:]
        return frames

    def _begin_in_place(self, head: bytes, length: int) -> None:
        self._in_place = bytearray(length)
        self._in_place[: len(head)] = head
        self._filled = len(head)
        if self._on_large is not None:
            self._on_large()
