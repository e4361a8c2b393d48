"""The metrics that cost most, as SQL for DuckDB, and whether two sets of tables agree.

For datasets whose nodes neither join, leave nor crash: then everybody is on the roster.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

_COPIES = """
    SELECT a.run, a.message, a.first, a.at_us - m.at_us AS delay_us, a.bytes, a.hop
    FROM arrivals a JOIN messages m ON a.run = m.run AND a.message = m.message
    WHERE a.kind = 'data' AND a.node <> m.origin"""

_BIN = """CASE WHEN delay_us < 64 THEN delay_us ELSE
    (floor(log2(delay_us + 0.5))::BIGINT - 5) * 32
    + (delay_us >> (floor(log2(delay_us + 0.5))::BIGINT - 5)) END"""

QUERIES = {
    "message_metrics": f"""
        SELECT run, message, count(*) FILTER (first) AS delivered, count(*) AS copies,
            sum(bytes)::BIGINT AS data_bytes, max(hop) FILTER (first) AS last_delivery_hop,
            max(delay_us) FILTER (first) / 1000 AS ldt_ms,
            quantile_disc(delay_us, [0.5, 0.9, 0.99]) FILTER (first) AS percentiles_us
        FROM ({_COPIES}) GROUP BY run, message""",
    "delivery_histogram": f"""
        SELECT run, {_BIN} AS bin, count(*) AS deliveries
        FROM ({_COPIES}) WHERE first GROUP BY run, bin""",
    "node_load": """
        SELECT coalesce(s.run, r.run) AS run, coalesce(s.node, r.node) AS node,
            coalesce(frames, 0) AS data_frames_sent, coalesce(s.bytes, 0) AS data_bytes_sent,
            coalesce(r.bytes, 0) AS data_bytes_received
        FROM (SELECT run, sender AS node, count(*) AS frames, sum(bytes)::BIGINT AS bytes
              FROM arrivals WHERE kind = 'data' GROUP BY run, sender) s
        FULL JOIN (SELECT run, node, sum(bytes)::BIGINT AS bytes
              FROM arrivals WHERE kind = 'data' GROUP BY run, node) r
        ON s.run = r.run AND s.node = r.node""",
    "traffic": """
        SELECT run, kind, count(*) AS frames, sum(bytes)::BIGINT AS bytes
        FROM arrivals GROUP BY run, kind""",
}
"""What is asked, by the table of ours that has it."""

_KEYS = {
    "message_metrics": ("run", "message"),
    "delivery_histogram": ("run", "bin"),
    "node_load": ("run", "node"),
    "traffic": ("run", "kind"),
}


def differences(ours: Path, theirs: Path) -> list[str]:
    """The columns, as `table.column`, in which not all rows of both are the same."""
    found = []
    for table, keys in _KEYS.items():
        with duckdb.connect() as database:
            for name, place in (("ours", ours), ("theirs", theirs)):
                files = str(place / table / "*.parquet")
                database.execute(f"CREATE VIEW {name} AS FROM read_parquet('{files}')")
            described = database.execute("DESCRIBE theirs").fetchall()
            same = [name for name, *_ in described if name not in (*keys, "percentiles_us")]
            pairs = {name: (f"o.{name}", f"t.{name}") for name in same}
            if table == "message_metrics":
                for place, name in enumerate(("p50_ms", "p90_ms", "p99_ms"), start=1):
                    pairs[name] = (f"o.{name}", f"t.percentiles_us[{place}] / 1000")
            counts = ", ".join(
                f"count(*) FILTER ({one} IS DISTINCT FROM {other})" for one, other in pairs.values()
            )
            on = " AND ".join(f"o.{key} = t.{key}" for key in keys)
            (counted,) = database.execute(
                f"SELECT [{counts}] FROM ours o FULL JOIN theirs t ON {on}"
            ).fetchall()
            found += [f"{table}.{name}" for name, n in zip(pairs, counted[0], strict=True) if n]
    return found
