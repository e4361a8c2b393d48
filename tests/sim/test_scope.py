"""Which flights a rule is about."""

from __future__ import annotations

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.cluster import address_of
from snowcast.sim.scope import (
    Scope,
    across,
    between_groups,
    everywhere,
    one_way,
    scope_of,
    touching,
)
from support.puppets import flight

A, B, C = (address_of(index) for index in range(3))


def concerned(scope: Scope) -> list[str]:
    """The flights among three nodes that a scope is about, such as "02" for 0 to 2."""
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    return [f"{a}{b}" for a, b in pairs if scope(flight(a, b))]


def test_everywhere_is_about_all_flights() -> None:
    assert concerned(everywhere) == ["01", "02", "10", "12", "20", "21"]


def test_touching_is_about_flights_from_and_to_a_node() -> None:
    assert concerned(touching([A])) == ["01", "02", "10", "20"]


def test_one_way_is_about_one_direction() -> None:
    assert concerned(one_way([A], [B])) == ["01"]
    assert concerned(one_way([A], None)) == ["01", "02"]
    assert concerned(one_way(None, [A])) == ["10", "20"]


def test_one_way_needs_an_end() -> None:
    with pytest.raises(UsageError, match="from which nodes"):
        one_way(None, None)


def test_between_groups_is_about_both_directions_but_not_about_flights_inside_a_group() -> None:
    assert concerned(between_groups([A], [B])) == ["01", "10"]
    assert concerned(between_groups([A, C], [B])) == ["01", "10", "12", "21"]


def test_across_separates_groups_and_those_in_none_of_them() -> None:
    assert concerned(across([[A], [B, C]])) == ["01", "02", "10", "20"]
    assert concerned(across([[A]])) == ["01", "02", "10", "20"]
    assert concerned(across([[A], [B], [C]])) == concerned(everywhere)


def test_a_node_cannot_be_on_two_sides() -> None:
    with pytest.raises(UsageError, match=r"10\.0\.0\.1:7946 is on two sides"):
        across([[A, B], [A]])


def test_arguments_describe_a_scope() -> None:
    assert concerned(scope_of(None, None)) == concerned(everywhere)
    assert concerned(scope_of([A], None)) == concerned(touching([A]))
    assert concerned(scope_of(None, ([A], [B]))) == concerned(between_groups([A], [B]))
    with pytest.raises(UsageError, match="not both"):
        scope_of([A], ([A], [B]))
