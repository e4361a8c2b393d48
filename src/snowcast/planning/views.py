"""Relays that do not all have the origin's view: what the `--relay-view` file says.

The file is JSON. A key is a node's number, or `*` for every node but the origin that has no key of
its own; a value names who that node does not have on its ring:

    {"*": {"missing": [3, 4]}, "17": {"departed": [9]}}

`missing`: it has not heard of them yet, as after a join. `departed`: it knows that they have left
or were evicted. All of them are up and forward what reaches them; a node always knows itself.
"""

from __future__ import annotations

import reprlib

import msgspec

from snowcast.core.errors import UsageError

EVERYBODY = "*"


class RelayView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one node's view falls short of all nodes."""

    missing: frozenset[int] = frozenset()
    departed: frozenset[int] = frozenset()

    def lacks(self, number: int) -> bool:
        """Whether `number` is not on the ring of this view."""
        return number in self.missing or number in self.departed


class Views(msgspec.Struct, frozen=True):
    """Whose view falls short. `others` is that of every node but the origin without its own."""

    by_node: dict[int, RelayView] = {}
    others: RelayView | None = None

    def of(self, number: int) -> RelayView | None:
        """How the view of `number`, a relay, falls short; None if it knows everybody."""
        return self.by_node.get(number, self.others)

    def of_origin(self, number: int) -> RelayView | None:
        """The same for the origin, of which `*` does not speak."""
        return self.by_node.get(number)


def parse_views(text: bytes, nodes: int) -> Views:
    """Read the content of a relay-view file; raise UsageError, in one line, if it is none."""
    try:
        entries = msgspec.json.decode(text, type=dict[str, RelayView])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not a relay view: {error}") from None
    by_node = {}
    for key, view in entries.items():
        where = f"not a relay view: {key!r}"
        number = None if key == EVERYBODY else _number(key, nodes)
        for other in sorted(view.missing | view.departed):
            if not 0 <= other < nodes:
                raise UsageError(f"{where} lists {other}; nodes are 0 to {nodes - 1}")
            if other == number:
                raise UsageError(f"{where} lists itself")
        if view.missing & view.departed:
            other = min(view.missing & view.departed)
            raise UsageError(f"{where} lists {other} both as missing and as departed")
        if number is not None:
            by_node[number] = view
    return Views(by_node, entries.get(EVERYBODY))


def _number(key: str, nodes: int) -> int:
    """The node that a key names, written as a plain number."""
    number = int(key) if key.isascii() and key.isdigit() and len(key) < 20 else -1
    if 0 <= number < nodes and str(number) == key:
        return number
    name = reprlib.repr(key)  # short, however long the key is
    raise UsageError(
        f"not a relay view: key {name} is neither a node, 0 to {nodes - 1}, nor {EVERYBODY!r}"
    )
