"""Installing: versions are pinned once and completely, and the setup knows when it is done."""

import importlib.metadata
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import setup_venv
import snowcast

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)")


def pins() -> dict[str, str]:
    lines = [line for line in pin_lines() if PIN.fullmatch(line)]
    return dict(line.split("==") for line in lines)


def pin_lines() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def requirements() -> list[Requirement]:
    """What pyproject.toml asks of others: the core, then every extra."""
    wanted = [*PROJECT["dependencies"], *(name for names in EXTRAS.values() for name in names)]
    return [each for each in map(Requirement, wanted) if each.name != "snowcast"]


def installed_closure(extras: set[str]) -> set[str]:
    """Every distribution that snowcast with these extras needs here."""
    found: set[str] = set()
    waiting = [("snowcast", frozenset(extras))]
    seen = set()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) not in seen:
            seen.add((name, wanted))
            found.add(name)
            waiting += needed_by(name, wanted)
    return found - {"snowcast"}


def needed_by(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for text in importlib.metadata.requires(name) or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield canonicalize_name(requirement.name), frozenset(requirement.extras)


def test_every_line_of_the_constraints_is_one_exact_version_in_order() -> None:
    wrong = [line for line in pin_lines() if not PIN.fullmatch(line)]
    assert wrong == []
    names = [line.split("==")[0] for line in pin_lines()]
    assert names == sorted(set(names)), "sort constraints.txt by name, each name once"


def test_every_requirement_has_a_pin_that_satisfies_it() -> None:
    for requirement in requirements():
        pin = pins().get(canonicalize_name(requirement.name))
        assert pin is not None, f"constraints.txt has no {requirement.name}"
        assert pin in requirement.specifier, f"{requirement} against the pin {pin}"


def test_what_the_tests_need_is_pinned_down_to_the_last_package() -> None:
    assert installed_closure({"cli", "dev"}) - set(pins()) == set()


def test_only_spark_is_asked_for_in_one_exact_version() -> None:
    exact = {each.name for each in requirements() if "==" in str(each.specifier)}
    assert exact == {"pyspark"}


def test_pins_for_uv_would_be_the_same_pins() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]
    assert tool["system-certs"] is True
    assert tool.get("constraint-dependencies", pin_lines()) == pin_lines()


def test_the_core_needs_msgspec_and_nothing_else() -> None:
    assert [Requirement(text).name for text in PROJECT["dependencies"]] == ["msgspec"]


def test_all_holds_every_extra_that_users_install() -> None:
    [everything] = map(Requirement, EXTRAS["all"])
    assert everything.extras == EXTRAS.keys() - {"all", "dev"}


def test_the_version_is_one_and_the_changelog_says_what_is_unreleased() -> None:
    assert str(Version(snowcast.__version__)) == snowcast.__version__
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text()


def test_setup_takes_the_pythons_that_the_package_takes() -> None:
    accepted = SpecifierSet(PROJECT["requires-python"])
    for minor in range(8, 20):
        works = setup_venv.python_problem((3, minor), None, None) is None
        assert works == (f"3.{minor}.0" in accepted), f"Python 3.{minor}"


def test_setup_says_in_one_line_why_it_cannot_work() -> None:
    old = setup_venv.python_problem((3, 9), "/usr/bin/uv", None)
    bare = setup_venv.python_problem((3, 11), None, "ensurepip")
    assert "this is 3.9" in old
    assert "apt-get install python3-venv" in bare
    assert "\n" not in old + bare
    assert setup_venv.python_problem((3, 11), "/usr/bin/uv", "ensurepip") is None


def test_setup_reads_back_the_stamp_it_wrote(tmp_path: Path) -> None:
    assert setup_venv.read_stamp(tmp_path) == ("", "", set())
    setup_venv.write_stamp(tmp_path, "abc", {"dev", "cli"})
    here = setup_venv.venv_identity(tmp_path)
    assert setup_venv.read_stamp(tmp_path) == (here, "abc", {"cli", "dev"})
    (tmp_path / setup_venv.STAMP_NAME).write_text("cut off")
    assert setup_venv.read_stamp(tmp_path) == ("", "", set())


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_setup_has_work_to_do_when_what_decides_the_install_changed(
    name: str, tmp_path: Path
) -> None:
    for each in ("pyproject.toml", "constraints.txt"):
        (tmp_path / each).write_text("a")
    before = setup_venv.digest(tmp_path)
    assert setup_venv.digest(tmp_path) == before
    (tmp_path / name).write_text("b")
    assert setup_venv.digest(tmp_path) != before
