"""The columns of a member table against a plain list of members."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.member import Member, State
from snowcast.core.table import MemberTable
from support.lone import record
from support.rings import member

Row = tuple[Member, int]

MEMBERS = st.builds(
    Member,
    address=st.integers(0, 50).map(member),
    incarnation=st.integers(0, 2**64 - 1),
    state=st.sampled_from(State),
    name=st.text(max_size=4),
    tags=st.lists(st.tuples(st.text(max_size=2), st.text(max_size=2)), max_size=2).map(tuple),
)
LEAVES = st.integers(0, 4095)


def rows_of(table: MemberTable, like: list[Row]) -> list[Row]:
    """What the table says, asked by the addresses of the list."""
    return [(table.get(i, row[0].address), table.leaf(i)) for i, row in enumerate(like)]


@given(st.lists(st.tuples(MEMBERS, LEAVES)))
def test_what_goes_in_comes_out(rows: list[Row]) -> None:
    table = MemberTable.of(rows)
    assert len(table) == len(rows)
    assert rows_of(table, rows) == rows
    standings = [table.standing(i) for i in range(len(rows))]
    assert standings == [(member.incarnation, member.state) for member, _ in rows]


@given(st.lists(st.tuples(MEMBERS, LEAVES), min_size=1), st.data())
def test_rows_move_with_every_change(rows: list[Row], data: st.DataObject) -> None:
    table, expected = MemberTable(), []
    for row in rows:
        index = data.draw(st.integers(0, len(expected)))
        table.insert(index, *row)
        expected.insert(index, row)
        assert rows_of(table, expected) == expected
    while len(expected) > 1:
        index = data.draw(st.integers(0, len(expected) - 1))
        table.remove(index)
        del expected[index]
        assert (len(table), rows_of(table, expected)) == (len(expected), expected)


@given(MEMBERS, MEMBERS)
def test_newer_knowledge_replaces_everything_but_the_address(old: Member, new: Member) -> None:
    table = MemberTable.of([(record(7), 1), (old, 2)])
    table.replace(1, new)
    assert table.get(1, old.address) == msgspec.structs.replace(new, address=old.address)
    assert table.leaf(1) == 2
    assert table.get(0, member(7)) == record(7)


def test_the_rows_of_some_leaves_are_found() -> None:
    table = MemberTable.of([(record(i), leaf) for i, leaf in enumerate((5, 9, 5, 0))])
    assert table.in_leaves({5}) == [0, 2]
    assert table.in_leaves({0, 9}) == [1, 3]
    assert table.in_leaves(set()) == []
