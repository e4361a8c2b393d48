"""Hooks the recorder of traces to the driver: what it sees becomes rows in a directory.

Rules of this file:
- Rows are written at the boundary of the core, with the functions that the simulator uses.
- An agent writes a directory of its own below the one that was given, and appends to it in its
  next life: agents on one machine can share what they are given.
- Rows gather in memory and are written out once a second, so that a trace can be left on.
- A trace that cannot be written ends, with one word in the log. The node goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

from snowcast import __version__
from snowcast.core.address import Address
from snowcast.core.codec import frame_size
from snowcast.core.config import Config
from snowcast.core.effects import Accepted, Effect, Joined, Send
from snowcast.core.events import Broadcast, Event, FrameReceived, Leave
from snowcast.core.member import Member
from snowcast.trace.files import TraceWriter
from snowcast.trace.recorder import Recorder
from snowcast.trace.schema import NodeRow, Role, RunRow

log = logging.getLogger("snowcast")


class Tracer:
    """The trace of one life of one node. Give `observe` to a driver."""

    def __init__(
        self,
        writer: TraceWriter,
        run: str,
        me: Member,
        *,
        role: Role = Role.PLAIN,
        stable: bool | None = None,
    ) -> None:
        self._writer = writer
        self._recorder = Recorder(run, writer.write)
        self._recorder.node_started(me.address)
        self._row = NodeRow(
            run=run,
            node=str(me.address),
            life=me.life,
            name=me.name or None,
            role=role,
            stable=stable,
        )
        self._me = me.address
        self.is_broken = False
        """Whether the trace has ended because it could not be written."""
        self.on_broken: Callable[[], None] = lambda: None
        self._note()

    def note(self, **changes: int | None) -> None:
        """Something has become of the node: `joined_us`, `left_us` or `crashed_us`."""
        self._try(lambda: self._note(**changes))

    def observe(self, now_us: int, event: Event, effects: list[Effect]) -> None:
        """An event, and what the node has made of it."""
        if self.is_broken:
            return
        try:
            self._observe(now_us, event, effects)
        except OSError as error:
            self._break(error)

    def flush(self) -> None:
        """Hand all rows to the operating system."""
        self._try(self._writer.flush)

    def close(self) -> None:
        """Nothing more comes."""
        self._try(self._writer.close)

    def _try(self, write: Callable[[], None]) -> None:
        if self.is_broken:
            return
        try:
            write()
        except OSError as error:
            self._break(error)

    def _break(self, error: OSError) -> None:
        self.is_broken = True
        directory = self._writer.directory
        log.error("the trace in %s ends here, it cannot be written: %s", directory, error)
        self._writer.abandon()
        self.on_broken()

    def _note(self, **changes: int | None) -> None:
        self._row = msgspec.structs.replace(self._row, **changes)
        self._writer.write(self._row)

    def _observe(self, now_us: int, event: Event, effects: list[Effect]) -> None:
        me = self._me
        match event:
            case FrameReceived():
                size = frame_size(event.frame)
                self._recorder.frame_received(now_us, me, event.sender, event.frame, size)
            case Leave():
                self._note(left_us=now_us)
        for effect in effects:
            match effect:
                case Send():
                    self._recorder.frame_sent(
                        now_us, me, effect.to, effect.frame, effect.is_datagram
                    )
                case Joined():
                    self._note(joined_us=now_us)
                case Accepted() if isinstance(event, Broadcast) and not event.is_control:
                    payload_bytes = len(event.payload)
                    self._recorder.message_sent(
                        now_us, effect.id, payload_bytes, event.mode, event.is_reliable
                    )


def open_trace(directory: Path, run: str, me: Member, config: Config, protocol: str) -> Tracer:
    """Begin the trace of an agent, in a directory of its own below the one given."""
    writer = TraceWriter(directory / _folder(me.address))
    writer.write(
        RunRow(
            run=run,
            protocol=protocol,
            scenario="",
            fanout=config.fanout,
            config=msgspec.json.encode(config).decode(),
            version=__version__,
            is_virtual=False,
        )
    )
    tracer = Tracer(writer, run, me)
    tracer.flush()
    return tracer


def _folder(address: Address) -> str:
    """`127.0.0.1-7946`: no colon, which some tools and systems do not like in a name."""
    host = address.host.replace(":", ".")
    return f"{host}-{address.port}"
