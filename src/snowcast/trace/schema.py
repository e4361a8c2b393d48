"""The tables of a trace: their columns, types and meanings. There is no other definition.

A row is a frozen value; the class is the table. docs/TRACE.md is written from this file.

Rules of this file:
- Adding a nullable column, or letting a column be null, keeps old traces readable. Anything else
  raises SCHEMA_VERSION.
- Units go last in a name. Times are microseconds on the clock of the node named in the row: on a
  virtual clock since the start of the run, on real ones since 1970. `probes` tells how clocks
  differ.
- A node is its address, a message its id `origin/life/sequence`, both as text.
"""

from __future__ import annotations

from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

SCHEMA_VERSION = 1


class Role(StrEnum):
    """What a node is in an experiment."""

    PLAIN = "plain"
    STRAGGLER = "straggler"


def _is(text: str) -> msgspec.Meta:
    return msgspec.Meta(description=text)


_RunId = Annotated[str, _is("the run, the same in all tables")]


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row of a table; a column that is null is left out of the line."""

    run: _RunId


class RunRow(Row, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row for each run: what was run, and with what."""

    protocol: Annotated[str, _is("`snow`, or the name of a baseline")]
    scenario: Annotated[str, _is("the name of the scenario; empty for agents")]
    variant: Annotated[str | None, _is("what a sweep has changed in it besides, as text")] = None
    seed: Annotated[int | None, _is("the seed of a simulation")] = None
    nodes: Annotated[int | None, _is("how many nodes began the run")] = None
    fanout: Annotated[int, _is("k")]
    config: Annotated[str, _is("all settings, as JSON")]
    version: Annotated[str, _is("the version of snowcast")]
    is_virtual: Annotated[bool, _is("whether the clock is a simulator's")]


class NodeRow(Row, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row for each life of a node. Where there are more, the last one holds."""

    node: Annotated[str, _is("the address")]
    life: Annotated[int, _is("which start of the node at this address; grows with restarts")]
    name: Annotated[str | None, _is("what its operator calls it")] = None
    role: Annotated[Role, _is("`plain` or `straggler`")]
    stable: Annotated[
        bool | None, _is("a member for the whole run; null if the writer cannot tell")
    ] = None
    joined_us: Annotated[int | None, _is("when it was a member and announced")] = None
    left_us: Annotated[int | None, _is("when it began to leave")] = None
    crashed_us: Annotated[int | None, _is("when it crashed or was killed")] = None


class MessageRow(Row, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row for each message that an application has sent."""

    message: Annotated[str, _is("the id")]
    origin: Annotated[str, _is("the node that sent it")]
    at_us: Annotated[int, _is("when, on the origin's clock")]
    payload_bytes: Annotated[int, _is("its size")]
    mode: Annotated[str, _is("`standard` or `coloring`")]
    reliable: Annotated[bool, _is("whether it asked for a receipt")]


class ArrivalRow(Row, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row for each frame that a node has received."""

    message: Annotated[str | None, _is("the message it carries or is about")] = None
    node: Annotated[str, _is("the receiver")]
    sender: Annotated[str, _is("the node that sent the frame")]
    kind: Annotated[
        str,
        _is(
            "`data`, `announcement` (data for the membership), `control` (data for whoever runs "
            "the nodes), or the frame's other name"
        ),
    ]
    at_us: Annotated[int, _is("when, on the receiver's clock")]
    bytes: Annotated[int, _is("the size of the frame, its length prefix included")]
    hop: Annotated[int | None, _is("how many sends from the origin; data frames only")] = None
    tree: Annotated[
        int | None, _is("0 standard, 1 primary, 2 secondary; data frames and acks only")
    ] = None
    first: Annotated[bool | None, _is("whether it is the node's first copy; data frames only")] = (
        None
    )
    complete: Annotated[
        bool | None, _is("whether the sender's whole part is accounted for; acks only")
    ] = None


class ProbeRow(Row, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One row for each ping, once it was answered or given up."""

    node: Annotated[str, _is("the node that pinged")]
    peer: Annotated[str, _is("the node that was pinged")]
    at_us: Annotated[
        int, _is("when the answer came, on the clock of `node`; without one, when it was asked")
    ]
    rtt_us: Annotated[int | None, _is("from ping to pong; null if no answer came in time")] = None
    offset_us: Annotated[
        int | None,
        _is("how far the clock of `peer` is ahead of `node`'s, if both ways take as long"),
    ] = None
    stream: Annotated[bool | None, _is("true if it went on a stream, not in a datagram")] = None


class Column(NamedTuple):
    """One column: `type` is string, int64 or bool."""

    name: str
    type: str
    is_nullable: bool
    text: str


TABLES: dict[str, type[Row]] = {
    "runs": RunRow,
    "nodes": NodeRow,
    "messages": MessageRow,
    "arrivals": ArrivalRow,
    "probes": ProbeRow,
}

_TYPE_NAMES: dict[Any, str] = {str: "string", Role: "string", int: "int64", bool: "bool"}


def columns(row: type[Row]) -> tuple[Column, ...]:
    """The columns of a table, in order."""
    hints = get_type_hints(row, include_extras=True)
    return tuple([_column(name, hints[name]) for name in row.__struct_fields__])


def _column(name: str, hint: Any) -> Column:
    kind, meta = get_args(hint)
    is_nullable = get_origin(kind) is UnionType
    if is_nullable:
        kind = get_args(kind)[0]
    return Column(name, _TYPE_NAMES[kind], is_nullable, meta.description)
