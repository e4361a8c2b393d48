"""Commands that are loaded when they are asked for, so that each starts as fast as it can."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup


class Commands(MutableMapping[str, Any]):
    """Commands by name; each is imported when it is looked at."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._homes = homes
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._homes[name])
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._homes.setdefault(name, "")
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._homes[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __contains__(self, name: object) -> bool:
        return name in self._homes


def group(homes: dict[str, str]) -> type[TyperGroup]:
    """A kind of group whose commands are found there: `snowcast.cli.sim:app`."""

    class LazyGroup(TyperGroup):
        def __init__(self, **rest: Any) -> None:
            super().__init__(**rest)
            self.commands = Commands(dict(homes))

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

    return LazyGroup


def _load(name: str, home: str) -> Any:
    """The command itself: a group if it is an app, else one made of a function."""
    module, _, attribute = home.partition(":")
    found = getattr(import_module(module), attribute)
    outer = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    outer.callback()(lambda: None)
    if isinstance(found, typer.Typer):
        outer.add_typer(found, name=name)
    else:
        outer.command(name)(found)
    commands: dict[str, Any] = getattr(typer.main.get_command(outer), "commands", {})
    return commands[name]
