"""The pages about tables are what the definitions of the tables say."""

from __future__ import annotations

import pytest

import write_table_docs
from snowcast.pipeline.metric_tables import METRIC_TABLES
from snowcast.trace.schema import TABLES, columns


@pytest.mark.parametrize("path", write_table_docs.pages(), ids=lambda path: path.name)
def test_the_page_is_current(path: object) -> None:
    wanted = write_table_docs.pages()[path]  # type: ignore[index]
    assert write_table_docs.current(path) == wanted, "run `make docs`"  # type: ignore[arg-type]


def test_every_table_and_column_is_on_its_page() -> None:
    trace, metrics = write_table_docs.pages().values()
    for name, row in TABLES.items():
        assert f"### `{name}`" in trace
        assert all(f"| `{column.name}` | " in trace for column in columns(row))
    for name, table in METRIC_TABLES.items():
        assert f"### `{name}`" in metrics
        assert all(f"| `{column}` | " in metrics for column in table.names)
