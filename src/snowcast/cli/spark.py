"""What the commands that use Spark have in common: their options, and the session they run in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from snowcast.core.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where Spark runs: spark://host:7077, local[4], ...; all cores of this machine "
        "if not given, or what spark-submit says.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark; may be repeated."),
]


@contextmanager
def spark_session(master: str | None, settings: list[str] | None) -> Iterator[SparkSession]:
    """Spark, as long as the block lasts."""
    need_the_extra()
    from snowcast.pipeline.session import open_session

    given = dict(_pair(text) for text in settings or [])
    with open_session(master=master, settings=given) as spark:
        yield spark


def need_the_extra() -> None:
    """UsageError, saying what to install, where Spark is not."""
    try:
        import snowcast.pipeline  # noqa: F401
    except ImportError as error:
        raise UsageError(str(error)) from None


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (equals and key.startswith("spark.")):
        raise UsageError(f"--conf: expected spark.key=value, not {text!r}")
    return key, value
