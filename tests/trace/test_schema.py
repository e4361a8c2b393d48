"""The tables of a trace: columns follow from the classes, and a page follows from them."""

from __future__ import annotations

import msgspec

from snowcast.trace.schema import (
    TABLES,
    ArrivalRow,
    Column,
    NodeRow,
    ProbeRow,
    Role,
    columns,
)


def test_every_table_begins_with_its_run() -> None:
    for row in TABLES.values():
        first = columns(row)[0]
        assert (first.name, first.type, first.is_nullable) == ("run", "string", False)


def test_columns_have_a_type_a_meaning_and_their_units_last() -> None:
    for row in TABLES.values():
        for column in columns(row):
            assert column.type in ("string", "int64", "bool")
            assert column.text
            assert ("_us" in column.name) == column.name.endswith("_us")


def test_a_column_is_nullable_exactly_if_it_may_be_left_out() -> None:
    for row in TABLES.values():
        fields = {field.name: field for field in msgspec.structs.fields(row)}
        for column in columns(row):
            assert column.is_nullable != fields[column.name].required


def test_columns_stand_in_the_order_of_the_class() -> None:
    assert columns(ProbeRow)[1:3] == (
        Column("node", "string", False, "the node that pinged"),
        Column("peer", "string", False, "the node that was pinged"),
    )


def test_a_line_holds_the_columns_in_order_without_those_that_are_null() -> None:
    row = ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=5, bytes=4)
    line = b'{"run":"r","node":"a","sender":"b","kind":"ping","at_us":5,"bytes":4}'
    assert msgspec.json.encode(row) == line
    node = NodeRow(run="r", node="a", life=1, role=Role.PLAIN, stable=False)
    line = b'{"run":"r","node":"a","life":1,"role":"plain","stable":false}'
    assert msgspec.json.encode(node) == line
