"""Hooks the recorder of traces to the driver: what it sees becomes rows in a directory.

Rules of this file:
- Rows are written at the boundary of the core, with the functions that the simulator uses.
- Each node writes a directory of its own below the one that was given, and appends to it in its
  next life: nodes on one machine can share what they are given.
- Rows gather in memory and are written out once a second, so that a trace can be left on.
"""

from __future__ import annotations

import json
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


class Tracer:
    """The trace of one life of one node. Give `observe` to a driver."""

    def __init__(self, directory: Path, run: str, me: Member, config: Config) -> None:
        self._writer = TraceWriter(directory / _folder(me.address))
        self._recorder = Recorder(run, self._writer.write)
        self._me = me
        self._run = run
        self._recorder.node_started(me.address)
        self._writer.write(
            RunRow(
                run=run,
                protocol="snow",
                scenario="",
                fanout=config.fanout,
                config=json.dumps(msgspec.to_builtins(config)),
                version=__version__,
                is_virtual=False,
            )
        )
        self._joined_us: int | None = None
        self._write_node(None)
        self._writer.flush()

    def observe(self, now_us: int, event: Event, effects: list[Effect]) -> None:
        """An event, and what the node has made of it."""
        me = self._me.address
        match event:
            case FrameReceived():
                size = frame_size(event.frame)
                self._recorder.frame_received(now_us, me, event.sender, event.frame, size)
            case Leave():
                self._write_node(now_us)
        for effect in effects:
            match effect:
                case Send():
                    self._recorder.frame_sent(now_us, me, effect.to, effect.frame)
                case Joined():
                    self._joined_us = now_us
                    self._write_node(None)
                case Accepted() if isinstance(event, Broadcast):
                    payload_bytes = len(event.payload)
                    self._recorder.message_sent(
                        now_us, effect.id, payload_bytes, event.mode, event.is_reliable
                    )

    def flush(self) -> None:
        """Hand all rows to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Nothing more comes."""
        self._writer.close()

    def _write_node(self, left_us: int | None) -> None:
        self._writer.write(
            NodeRow(
                run=self._run,
                node=str(self._me.address),
                life=self._me.life,
                name=self._me.name or None,
                role=Role.PLAIN,
                joined_us=self._joined_us,
                left_us=left_us,
            )
        )


def _folder(address: Address) -> str:
    """`127.0.0.1-7946`: no colon, which some tools and systems do not like in a name."""
    host = address.host.replace(":", ".")
    return f"{host}-{address.port}"
