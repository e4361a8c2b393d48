"""From scenarios and raw traces to tables of metrics, on Spark; needs the extra `pipeline`.

`session` is the only place that starts Spark. `sweep` and `ingest` write datasets, which
`reading` reads: a folder for each table of the trace schema, with its columns.
"""

try:
    import pyarrow as _pyarrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        "snowcast.pipeline needs pyspark and pyarrow: pip install 'snowcast[pipeline]'"
    ) from error
