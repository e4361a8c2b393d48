"""Which flights a rule is about: predicates over sender and receiver."""

from __future__ import annotations

from collections.abc import Callable, Collection

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.sim.verdicts import Flight

Scope = Callable[[Flight], bool]


def everywhere(flight: Flight) -> bool:
    """All flights."""
    return True


def touching(nodes: Collection[Address]) -> Scope:
    """Flights from or to any of `nodes`."""
    chosen = frozenset(nodes)
    return lambda flight: flight.sender in chosen or flight.to in chosen


def one_way(senders: Collection[Address] | None, receivers: Collection[Address] | None) -> Scope:
    """Flights from `senders` to `receivers`; None stands for all nodes."""
    if senders is None and receivers is None:
        raise UsageError("say from which nodes, or to which")
    from_ = None if senders is None else frozenset(senders)
    to = None if receivers is None else frozenset(receivers)

    def concerns(flight: Flight) -> bool:
        return (from_ is None or flight.sender in from_) and (to is None or flight.to in to)

    return concerns


def between_groups(a: Collection[Address], b: Collection[Address]) -> Scope:
    """Flights from one group to the other, either way."""
    a, b = frozenset(a), frozenset(b)

    def concerns(flight: Flight) -> bool:
        sender, to = flight.sender, flight.to
        return (sender in a and to in b) or (sender in b and to in a)

    return concerns


def across(groups: Collection[Collection[Address]]) -> Scope:
    """Flights from one of `groups` to another; nodes in none of them make one more group."""
    group_of: dict[Address, int] = {}
    for number, group in enumerate(groups, start=1):
        for address in group:
            if group_of.setdefault(address, number) != number:
                raise UsageError(f"{address} is on two sides of a partition")

    return lambda flight: group_of.get(flight.sender, 0) != group_of.get(flight.to, 0)


def scope_of(
    nodes: Collection[Address] | None,
    between: tuple[Collection[Address], Collection[Address]] | None,
) -> Scope:
    """The scope that a rule's arguments `nodes` or `between` describe; everywhere without them."""
    if nodes is not None and between is not None:
        raise UsageError("give either nodes or between, not both")
    if nodes is not None:
        return touching(nodes)
    return everywhere if between is None else between_groups(*between)
