"""What runs are: the keys that begin every row about one, and the tables held to their contract."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from snowcast.core.errors import UsageError
from snowcast.pipeline.metric_tables import KEYS, MetricTable

US_PER_MS = 1_000


def run_keys(runs: DataFrame) -> DataFrame:
    """The keys of each run. Small, and broadcast where it is joined."""
    named = runs.withColumn("variant", F.coalesce("variant", F.lit("")))
    return F.broadcast(named.select([F.col(key.name).cast(key.type) for key in KEYS]))


def check_seeds(runs: DataFrame) -> None:
    """UsageError if two runs of one cell have the same seed: no pair and no interval is right then.

    Runs without a seed, as those of agents, may be as many as there are.
    """
    same = [key.name for key in KEYS if key.name != "run"]
    twice = (
        run_keys(runs.where("seed IS NOT NULL"))
        .groupBy(*same)
        .agg(F.sort_array(F.collect_list("run")).alias("runs"))
        .where(F.array_size("runs") > 1)
        .agg(F.min("runs"))
    )
    ((names,),) = twice.collect()
    if names:
        raise UsageError(
            f"{names[0]} and {names[1]} are runs of the same under one seed: measure them apart"
        )


def with_keys(rows: DataFrame, keys: DataFrame) -> DataFrame:
    """Rows that name a run, with the rest of its keys. Rows of unknown runs are left out."""
    return rows.join(keys, on="run", how="inner")


def held(rows: DataFrame, table: MetricTable) -> DataFrame:
    """Rows as the contract has them: its columns, in order, of its types."""
    return rows.select(
        [F.col(column.name).cast(column.type).alias(column.name) for column in table.columns]
    )


def ms(us: Column | str) -> Column:
    """Microseconds as milliseconds."""
    column = F.col(us) if isinstance(us, str) else us
    return column / US_PER_MS


def ratio(part: str, whole: str) -> Column:
    """A share; null where there is no whole."""
    return F.try_divide(F.col(part).cast("double"), F.col(whole).cast("double"))
