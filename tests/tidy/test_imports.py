"""The rules on imports can fail: each meets a snippet it must object to, and one it must not."""

import re

import pytest

from tidy.imports import ROOM_MAY_IMPORT, banned_modules, global_random, prints, wrong_rooms
from tidy.repository import read

CORE = "src/snowcast/core/ring.py"
SIM = "src/snowcast/sim/clock.py"


@pytest.mark.parametrize(
    ("path", "statement", "target"),
    [
        (CORE, "from snowcast.sim.clock import Clock", "sim"),
        (CORE, "import snowcast.runtime.agent as agent", "runtime"),
        (CORE, "from snowcast import trace", "trace"),
        (CORE, "from snowcast import join", "__init__"),
        (CORE, "import snowcast", "__init__"),
        (CORE, "from ..sim import clock", "sim"),
        (CORE, "def late():\n    from snowcast.lab import cluster", "lab"),
        (SIM, "from snowcast.cli.main import app", "cli"),
        (SIM, "from snowcast.lab import cluster", "lab"),
        ("src/snowcast/report/tables.py", "from snowcast.trace import schema", "trace"),
        ("src/snowcast/pipeline/job.py", "from snowcast.runtime import agent", "runtime"),
        ("src/snowcast/__init__.py", "from snowcast.sim import clock", "sim"),
    ],
)
def test_an_import_against_the_arrows_is_found(path: str, statement: str, target: str) -> None:
    assert f"imports {target};" in " ".join(
        problem.text for problem in wrong_rooms(path, statement)
    )


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        (CORE, "from snowcast.core.address import Address"),
        (CORE, "from snowcast import __version__"),
        (CORE, "import msgspec"),
        (SIM, "from snowcast.core import ring"),
        ("src/snowcast/cli/main.py", "from snowcast import lab, join"),
        ("src/snowcast/__init__.py", "from snowcast.runtime.cluster import join"),
        ("src/snowcast/__main__.py", "from snowcast.cli.main import main"),
    ],
)
def test_an_import_along_the_arrows_is_fine(path: str, statement: str) -> None:
    assert list(wrong_rooms(path, statement)) == []


def test_a_relative_import_is_found_even_inside_a_room() -> None:
    [problem] = wrong_rooms(CORE, "import ast\nfrom .address import Address\n")
    assert str(problem).startswith(f"{CORE}:2: import by the full name")


def test_a_room_without_a_row_is_found() -> None:
    [problem] = wrong_rooms("src/snowcast/helpers/misc.py", "")
    assert "`helpers` is no room yet" in problem.text


def test_nobody_but_the_command_line_may_import_it_nor_but_the_demo_the_lab() -> None:
    may = {room: others & {"cli", "lab"} for room, others in ROOM_MAY_IMPORT.items()}
    told = {room: others for room, others in may.items() if others}
    assert told == {"cli": {"lab"}, "__main__": {"cli"}, "demo": {"lab"}}


def test_contributors_are_told_the_same_table() -> None:
    told: dict[str, set[str]] = {}
    rows = re.findall(r"^  \| (`.*?) \| (.*?) \|$", read("CONTRIBUTING.md"), re.MULTILINE)
    for rooms, allowed in rows:
        for room in re.findall(r"\w+", rooms):
            told[room] = set(re.findall(r"`(\w+)`", allowed))
    told["cli"] = ROOM_MAY_IMPORT["cli"]  # told as "everything"
    assert told == {room: ROOM_MAY_IMPORT[room] for room in ROOM_MAY_IMPORT if "_" not in room}


def test_no_room_but_the_command_line_is_both_before_and_behind_another() -> None:
    for room, others in ROOM_MAY_IMPORT.items():
        for other in others - {"__init__"}:
            assert room not in ROOM_MAY_IMPORT[other], f"{room} and {other} import each other"


@pytest.mark.parametrize(
    "statement",
    [
        "import asyncio",
        "import os.path",
        "from time import monotonic",
        "from datetime import datetime",
        "def f():\n    import socket",
        "from logging.handlers import QueueHandler",
        "import uuid, secrets, threading",
    ],
)
def test_the_core_may_not_reach_outside(statement: str) -> None:
    assert list(banned_modules(CORE, statement))
    assert not list(banned_modules("src/snowcast/runtime/driver.py", statement))


def test_traces_do_not_know_spark() -> None:
    [problem] = banned_modules("src/snowcast/trace/files.py", "\n\nfrom pyspark.sql import Row")
    assert str(problem).startswith("src/snowcast/trace/files.py:3: trace may not use `pyspark.sql`")


@pytest.mark.parametrize(
    "text",
    [
        "import random\nx = random.random()",
        "import random as r\nx = r.choice([1])",
        "from random import shuffle",
        "import random\nx = random.SystemRandom()",
        "import random\nx = random.Random()",
        "from random import Random\nx = Random()",
    ],
)
def test_randomness_that_nobody_handed_in_is_found(text: str) -> None:
    assert list(global_random(CORE, text))


@pytest.mark.parametrize(
    "text",
    [
        "import random\ndef pick(rng: random.Random) -> float:\n    return rng.random()",
        "import random\nx = random.Random(7)",
        "from random import Random\nx = Random('seed')",
        "from other import random\nx = random.choice([1])",
    ],
)
def test_a_generator_with_a_seed_is_fine(text: str) -> None:
    assert list(global_random(CORE, text)) == []


def test_a_print_is_found_in_the_rooms_without_output() -> None:
    text = "def show(x):\n    print(x)\n"
    assert [problem.line for problem in prints(SIM, text)] == [2]
    assert list(prints("src/snowcast/cli/main.py", text)) == []
