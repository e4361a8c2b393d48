"""Where scenario files are, and what each says of itself.

A scenario is asked for by its name or by a path. Names are looked up in `scenarios/` of the
directory one stands in, then in the one that came with the code.
"""

from __future__ import annotations

from pathlib import Path

from snowcast.core.errors import UsageError

SUFFIX = ".toml"
_PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = (_PACKAGE / "scenarios", _PACKAGE.parents[1] / "scenarios")
"""Inside an installed package, and beside `src` in a checkout."""


def find(name: str) -> Path:
    """The file of a scenario; UsageError, with the names there are, if there is none."""
    if name.endswith(SUFFIX) or "/" in name:
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
        return path
    known = scenarios()
    if name not in known:
        raise UsageError(f"no scenario {name!r}; there are: {', '.join(known)}")
    return known[name]


def scenarios() -> dict[str, Path]:
    """All scenarios by name, in alphabetical order."""
    found: dict[str, Path] = {}
    for folder in (Path("scenarios"), *SHIPPED):
        for path in folder.glob(f"*{SUFFIX}"):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def about(path: Path) -> str:
    """The first sentence of the comment at the head of a file."""
    words: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        comment = line.removeprefix("#").strip()
        if not line.startswith("#") or not comment:
            break
        words += comment.split()
    text = " ".join(words)
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
