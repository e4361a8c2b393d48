"""docs/SIMULATION.md says what the types say: every key and default, and snippets that work."""

from __future__ import annotations

import re
import tomllib
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import pytest

from snowcast.baselines.registry import protocol_names
from snowcast.sim import incidents
from snowcast.sim.checkers import Checks
from snowcast.sim.checkers.checker import Options
from snowcast.sim.scenario import Scenario, parse
from snowcast.sim.sections import Section

PAGE = (Path(__file__).parents[2] / "docs" / "SIMULATION.md").read_text(encoding="utf-8")
SECTIONS = {
    field.name: field.default
    for field in msgspec.structs.fields(Scenario)
    if isinstance(field.default, Section)
}
OF_ALL_EVENTS = {"do", "at_s", "over_s", "count", "share", "nodes"}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    text = PAGE.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def blocks(language: str) -> list[str]:
    """The blocks of code in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def as_toml(value: Any) -> str:
    """A default as it would stand in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum | str):
        return f'"{value}"'
    return str(list(value) if isinstance(value, tuple) else value)


def defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Every key of a table, and its default."""
    values = {
        field.name: field.default_factory() if field.default is msgspec.NODEFAULT else field.default
        for field in msgspec.structs.fields(kind)
    }
    return {key: None if value is None else as_toml(value) for key, value in values.items()}


@pytest.mark.parametrize("name", SECTIONS)
def test_every_key_of_a_table_is_there_with_its_default(name: str) -> None:
    told = {key.strip("`"): default.strip("`") for key, default, _ in rows(f"### `[{name}]`")}
    assert told == defaults(type(SECTIONS[name]))


def test_every_key_of_the_top_level_is_there() -> None:
    told = {key.strip("`"): default.strip("`") for key, default, _ in rows("### Top level")}
    plain = {"protocol", "duration_s", "quiet_s"}
    assert told == {key: as_toml(getattr(Scenario(), key)) for key in plain}
    assert {f.name for f in msgspec.structs.fields(Scenario)} == (
        plain | SECTIONS.keys() | {"event", "check", "draw", "sweep"}
    )


def test_every_protocol_is_named() -> None:
    [row] = [cells for cells in rows("### Top level") if cells[0] == "`protocol`"]
    assert set(protocol_names()) <= set(re.findall(r"`([\w-]+)`", row[2]))


def test_every_event_is_there_with_its_keys() -> None:
    told = {}
    for do, keys, _ in rows("## 4. Events"):
        told[do.strip("`")] = set(re.findall(r"`(\w+)`", keys))
    kinds = [kind for kind in vars(incidents).values() if is_an_event(kind)]
    for kind in kinds:
        own = set(kind.__struct_fields__) - OF_ALL_EVENTS
        chosen = {"count"} if kind is incidents.Join else set()
        assert told.pop(kind.__struct_config__.tag) == own | chosen
    assert told == {}


def is_an_event(kind: Any) -> bool:
    """Whether this is a type with a `do` of its own."""
    if not (isinstance(kind, type) and issubclass(kind, incidents.Incident)):
        return False
    return kind not in (incidents.Incident, incidents.Chosen)


def test_every_checker_is_there_with_its_keys_and_their_defaults() -> None:
    told = {cells[0].strip("`"): cells[2] for cells in rows("## 6. Checkers")}
    for name, kind in options().items():
        text = told.pop(f"[check.{name}]")
        for key, default in defaults(kind).items():
            shown = "none" if default is None else f"`{default}`"
            assert f"`{key}` {shown}" in text
        assert set(re.findall(r"`([a-z]\w+)`", text)) - {"false"} == set(kind.__struct_fields__)
    assert told == {}


def options() -> dict[str, type[Options]]:
    """The options of each checker, by its name."""
    found = {}
    for field in msgspec.inspect.type_info(Checks).fields:  # type: ignore[attr-defined]
        found[field.name] = next(one.cls for one in field.type.types if hasattr(one, "cls"))
    return found


@pytest.mark.parametrize("text", blocks("toml"), ids=lambda text: text.split()[1])
def test_every_scenario_shown_can_be_read(text: str) -> None:
    parse(tomllib.loads(text))


@pytest.mark.parametrize("code", blocks("python"), ids=["cluster", "scenario"])
def test_every_program_shown_runs(code: str) -> None:
    exec(compile(code, "SIMULATION.md", "exec"), {"__name__": "shown"})
