"""Which room may import which, and what the pure rooms may not touch.

A room is a folder of src/snowcast. Arrows never go back: see docs/ARCHITECTURE.md.
"""

import ast
from collections.abc import Iterator

from tidy.repository import Problem

ROOM_MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "baselines": {"core"},
    "trace": {"core"},
    "sim": {"core", "baselines", "trace"},
    "kernels": {"core", "sim", "trace"},
    "planning": {"core"},
    "runtime": {"core", "baselines", "trace"},
    "agent": {"core", "baselines", "trace", "runtime"},
    "lab": {"core", "baselines", "trace", "sim", "runtime", "agent"},
    "pipeline": {"core", "trace", "sim", "kernels"},
    "report": {"core"},
    "demo": {"core", "planning", "lab", "sim", "trace", "pipeline", "report"},
    # Not rooms: the public names, `python -m snowcast`, and the plugin for users' own tests.
    "__init__": {"core", "runtime"},
    "__main__": {"cli"},
    "testing": {"runtime"},
}
ROOM_MAY_IMPORT["cli"] = set(ROOM_MAY_IMPORT) - {"__main__", "testing"}

OUTSIDE_WORLD = {
    "asyncio",
    "datetime",
    "logging",
    "os",
    "secrets",
    "socket",
    "threading",
    "time",
    "uuid",
}
ROOM_MAY_NOT_USE = {
    "core": OUTSIDE_WORLD,
    "baselines": OUTSIDE_WORLD,
    "trace": {"pyspark"},
}
ROOMS_WITHOUT_GLOBAL_RANDOM = {"core", "baselines"}
ROOMS_WITHOUT_PRINT = {"core", "baselines", "sim", "trace"}


def room_of(path: str) -> str:
    """`src/snowcast/core/ring.py` stands in `core`; `src/snowcast/__init__.py` in `__init__`."""
    return path.removeprefix("src/snowcast/").split("/")[0].removesuffix(".py")


def wrong_rooms(path: str, text: str) -> Iterator[Problem]:
    """Imports against the arrows, and imports written relatively."""
    room = room_of(path)
    if room not in ROOM_MAY_IMPORT:
        yield Problem(path, 1, f"`{room}` is no room yet: give it a row in ROOM_MAY_IMPORT")
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield Problem(path, node.lineno, "import by the full name, `from snowcast.core...`")
        for target in _rooms_imported(path, node):
            if target != room and target not in ROOM_MAY_IMPORT[room]:
                allowed = ", ".join(sorted(ROOM_MAY_IMPORT[room])) or "nothing of ours"
                message = f"{room} imports {target}; it may import {allowed}"
                yield Problem(path, getattr(node, "lineno", 1), message)


def banned_modules(path: str, text: str) -> Iterator[Problem]:
    """Clocks, sockets, tasks and the like where everything has to be an argument."""
    room = room_of(path)
    for line, name in _modules_imported(ast.parse(text)):
        if name.split(".")[0] in ROOM_MAY_NOT_USE.get(room, set()):
            yield Problem(path, line, f"{room} may not use `{name}`: have it handed in instead")


def global_random(path: str, text: str) -> Iterator[Problem]:
    """Randomness that nobody handed in: only `random.Random` may be named."""
    if room_of(path) not in ROOMS_WITHOUT_GLOBAL_RANDOM:
        return
    advice = "take a `random.Random` as an argument"
    tree = ast.parse(text)
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "random"
    }
    unseeded = {"Random", *(f"{alias}.Random" for alias in aliases)}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="random", level=0, names=names):
                for alias in names:
                    if alias.name != "Random":
                        yield Problem(path, node.lineno, f"`random.{alias.name}`: {advice}")
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if name in aliases and attribute != "Random":
                    yield Problem(path, node.lineno, f"`random.{attribute}`: {advice}")
            case ast.Call(func=func, args=[], keywords=[]):
                if ast.unparse(func) in unseeded:
                    yield Problem(path, node.lineno, f"`Random()` without a seed: {advice}")


def prints(path: str, text: str) -> Iterator[Problem]:
    """Output from rooms that have none."""
    if room_of(path) not in ROOMS_WITHOUT_PRINT:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id == "print":
            yield Problem(path, node.lineno, f"{room_of(path)} does not print: return it instead")


def _rooms_imported(path: str, node: ast.AST) -> Iterator[str]:
    """The rooms one statement imports from. The version alone may be taken from the top."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == "snowcast":
                yield [*alias.name.split("."), "__init__"][1]
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(path, node).split(".")
        if base[0] != "snowcast":
            return
        names = base[1:2] or [alias.name for alias in node.names if alias.name != "__version__"]
        for name in names:
            yield name if name in ROOM_MAY_IMPORT or base[1:] else "__init__"


def _absolute(path: str, node: ast.ImportFrom) -> str:
    """`from ..core import ring` as `snowcast.core`, and `from . import x` alike."""
    if not node.level:
        return node.module or ""
    package = path.removeprefix("src/").split("/")[: -node.level]
    return ".".join([*package, *filter(None, [node.module])])


def _modules_imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""
