"""Lines of traces that nobody should write, at random: most of them nearly right."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from snowcast.trace.files import MANIFEST, manifest
from snowcast.trace.schema import TABLES, columns

RUNS = ("r", "q", "ü " + 30 * "é", "a/b:c=%41", "..", "_x", "a}b,c;d$&|`~!", " ", "*?[x]{y}")
"""Names that can be had, odd as they are."""

BAD_RUNS = ("", 300 * "x", 70 * "%", 110 * "é", "\0", "a\nb", "\x7f", "__HIVE_DEFAULT_PARTITION__")
NUMBERS = tuple(
    sign * (1 << power) + more
    for power in (0, 31, 32, 53, 55, 61, 62, 63, 64)
    for sign in (1, -1)
    for more in (-1, 0, 1)
)
OTHERS: tuple[Any, ...] = (None, True, 1.5, "", "x", "\0", "12", [], {}, [[1]], 10**30)
BROKEN = (b"", b"\0\0", b"\xff\xfe", b"nonsense", b"[]", b"{", b'{"run":"r"', b"null", b"1e999")


def deep(levels: int) -> str:
    """JSON that is nested."""
    return "[" * levels + "]" * levels


def hostile_line(random: Random, table: str) -> bytes:
    """A line of a table with something wrong, or nothing."""
    row = {column.name: _usual(random, column.type) for column in columns(TABLES[table])}
    row |= {"run": random.choice(RUNS), "node": random.choice("abcd")}
    row |= {"peer": random.choice("abcd"), "kind": random.choice(["data", "ack", "ping"])}
    row |= {"message": random.choice("mno"), "role": "plain", "config": '{"hop_timeout_us":"x"}'}
    kind = random.random()
    if kind < 0.1:
        return random.choice(BROKEN)
    if kind < 0.2:
        text = json.dumps(row)
        return f'{text[:-1]},"more":{deep(random.choice([10, 300, 1_100, 100_000]))}}}'.encode()
    if kind < 0.3:
        row["run"] = random.choice(BAD_RUNS)
    elif kind < 0.8:
        for _ in range(random.randint(1, 3)):
            row[random.choice(list(row))] = random.choice([*NUMBERS, *OTHERS])
    ascii_only = random.random() < 0.5
    return json.dumps(row, ensure_ascii=ascii_only).encode()


def hostile_trace(directory: Path, seed: int, lines: int = 150) -> int:
    """A trace of such lines, as many of each table; how many are not empty."""
    random = Random(seed)
    directory.mkdir(parents=True)
    (directory / MANIFEST).write_text(manifest())
    written = 0
    for table in TABLES:
        found = [hostile_line(random, table) for _ in range(lines)]
        written += sum(line != b"" for line in found)
        (directory / f"{table}-00000.jsonl").write_bytes(b"".join(line + b"\n" for line in found))
    return written


def _usual(random: Random, kind: str) -> Any:
    if kind == "int64":
        return random.choice([0, 1, 5_000, random.choice(NUMBERS[:40])])
    return random.choice([True, False]) if kind == "bool" else "a"
