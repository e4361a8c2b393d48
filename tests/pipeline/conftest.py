"""One Spark session for all tests of the pipeline: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from snowcast.pipeline.session import open_session

QUICK = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
}
"""For many small jobs: compiling less pays."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark on two threads of this process's JVM."""
    with open_session("tests", "local[2]", QUICK) as session:
        yield session
