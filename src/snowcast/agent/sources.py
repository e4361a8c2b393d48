"""Where settings come from: flags before the environment before a file before the defaults.

Rules of this file:
- A key that does not exist is refused wherever it stands, with what could have been meant.
- Each value keeps where it came from, so that it can be shown, and named when it is wrong.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, get_origin

import msgspec

from snowcast.agent.settings import Key, Settings, keys, section_about
from snowcast.core.errors import UsageError

PREFIX = "SNOWCAST_"
NOT_SETTINGS = {"SNOWCAST_CONFIG", "SNOWCAST_AGENT", "SNOWCAST_TOKEN_FILE"}
"""Variables of ours that set nothing of an agent: they are for the commands."""
DEFAULT = "default"
SECRET = {"security.keys"}

# What Kubernetes puts into a container's environment for a service that is called `snowcast`.
_SERVICE = re.compile(r"SNOWCAST_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_\w+)?)")


class Given(msgspec.Struct, frozen=True):
    """A value and where it came from."""

    value: Any
    source: str
    is_text: bool = True
    """Whether it is text still, as in the environment, or texts; a file's values have types."""


class Loaded(msgspec.Struct, frozen=True):
    """Settings, and where each key of them came from."""

    settings: Settings
    sources: dict[str, str]


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Given] | None = None,
) -> Loaded:
    """Put settings together; UsageError, with the place and what to do, if something is wrong."""
    known = keys()
    given: dict[str, Given] = {}
    if file is not None:
        given |= _from_file(file, known)
    given |= _from_environment(environment or {}, known)
    for path, value in (flags or {}).items():
        _check(path, value.source, known)
        given[path] = value
    sections: dict[str, dict[str, Any]] = {key.section: {} for key in known.values()}
    for path, value in given.items():
        key = known[path]
        sections[key.section][key.name] = _convert(key, value)
    settings = _settings(sections, given)
    sources = {path: given[path].source if path in given else DEFAULT for path in known}
    return Loaded(settings, sources)


def to_toml(loaded: Loaded) -> str:
    """Settings as a file that says the same, each with where it comes from; without secrets."""
    lines: list[str] = []
    section = ""
    for path, key in keys().items():
        if key.section != section:
            section = key.section
            lines += ["", f"[{section}]  # {section_about(section)}"]
        value = getattr(getattr(loaded.settings, section), key.name)
        source = loaded.sources[path]
        about = "" if source == DEFAULT else f"  # {source}"
        if key.about:
            about = f"  # {key.about}" + ("" if source == DEFAULT else f"; from {source}")
        if path in SECRET and value:
            lines.append(f"# {key.name}: {len(value)} not shown{about}")
        else:
            lines.append(f"{key.name} = {_toml(value)}{about}")
    return "\n".join(lines[1:]) + "\n"


def set_flags(texts: list[str]) -> dict[str, Given]:
    """What `--set node.bind=...` says, given any number of times."""
    found = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set wants section.key=value, not {text!r}")
        found[path.strip()] = Given(value.strip(), f"--set {path.strip()}")
    return found


def _from_file(file: Path, known: Mapping[str, Key]) -> dict[str, Given]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: no TOML: {error}") from None
    return dict(_flat(document, str(file), known))


def _flat(
    document: dict[str, Any], source: str, known: Mapping[str, Key]
) -> Iterator[tuple[str, Given]]:
    sections = dict.fromkeys(key.section for key in known.values())
    for section, values in document.items():
        if section not in sections:
            hint = _hint(section, sections)
            what = f"[{section}]" if isinstance(values, dict) else section
            names = ", ".join(f"[{name}]" for name in sections)
            raise UsageError(f"{source}: there is no {what}{hint}; sections are {names}")
        if not isinstance(values, dict):
            raise UsageError(f"{source}: {section} is a section: write [{section}]")
        for name, value in values.items():
            _check(f"{section}.{name}", source, known)
            yield f"{section}.{name}", Given(value, source, is_text=False)


def _from_environment(environment: Mapping[str, str], known: Mapping[str, Key]) -> dict[str, Given]:
    variables = {key.variable: path for path, key in known.items()}
    found = {}
    for name, value in environment.items():
        if name in variables:
            found[variables[name]] = Given(value, name)
        elif name.startswith(PREFIX) and name not in NOT_SETTINGS and not _SERVICE.fullmatch(name):
            # What all have in common makes none of them alike.
            own = [variable.removeprefix(PREFIX) for variable in variables]
            hint = _hint(name.removeprefix(PREFIX), own, PREFIX)
            hint = hint or "; `snowcast agent --print-config` shows all keys"
            raise UsageError(f"environment: {name} sets nothing{hint}")
    return found


def _check(path: str, source: str, known: Mapping[str, Key]) -> None:
    if path in known:
        return
    section, _, name = path.partition(".")
    allowed = [key.name for key in known.values() if key.section == section]
    if not allowed:
        sections = ", ".join(dict.fromkeys(key.section for key in known.values()))
        raise UsageError(f"{source}: there is no section {section!r}; there are: {sections}")
    hint = _hint(name, allowed)
    raise UsageError(f"{source}: no key {path}{hint}; allowed in [{section}]: {', '.join(allowed)}")


def _hint(word: str, words: Iterable[str], prefix: str = "") -> str:
    close = difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)
    return f" (did you mean {prefix}{close[0]}?)" if close else ""


def _convert(key: Key, given: Given) -> Any:
    value = given.value
    if given.is_text:
        value = _split(key, given)
    try:
        return msgspec.convert(value, key.type, strict=not given.is_text)
    except msgspec.ValidationError as error:
        shown = "" if key.path in SECRET else f", not {given.value!r}"
        raise UsageError(f"{given.source}: {key.path}: {_wanted(key, error)}{shown}") from None


def _split(key: Key, given: Given) -> Any:
    """Text as what it lists: `a,b` or `key=value,key=value`; a flag that was repeated is a list."""
    kind = get_origin(getattr(key.type, "__origin__", key.type))
    if kind not in (tuple, dict):
        return given.value
    items = given.value
    if isinstance(items, str):
        items = [item.strip() for item in items.split(",") if item.strip()]
    if kind is tuple:
        return items
    pairs = [item.partition("=") for item in items]
    for name, equals, _ in pairs:
        if not equals or not name:
            wanted = "key=value" if isinstance(given.value, list) else "key=value,key=value"
            raise UsageError(f"{given.source}: {key.path}: want {wanted}, not {given.value!r}")
    return {name: value for name, _, value in pairs}


def _wanted(key: Key, error: Exception) -> str:
    kind = getattr(key.type, "__origin__", key.type)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"want one of {', '.join(member.value for member in kind)}"
    text = str(error).split(" - at ")[0]
    return text.split(", got")[0].replace("`", "").replace("Expected", "want")


def _settings(sections: dict[str, dict[str, Any]], given: Mapping[str, Given]) -> Settings:
    built = {}
    for field in msgspec.structs.fields(Settings):
        try:
            built[field.name] = field.type(**sections[field.name])
        except UsageError as error:
            sources = [value.source for path, value in given.items() if path.startswith(field.name)]
            raise UsageError(f"{', '.join(dict.fromkeys(sources))}: {error}") from None
    settings = Settings(**built)
    try:
        settings.config  # noqa: B018, the core has a word in it
    except UsageError as error:
        raise UsageError(f"[cluster] or [protocol]: {error}") from None
    return settings


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False)
    return json.dumps(value)
