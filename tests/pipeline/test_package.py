"""The package as a zip: whole, importable, the same bytes each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from snowcast.pipeline import package
from snowcast.pipeline.package import MEASURING, SIMULATING, digest_of, write_package_zip
from tidy.imports import ROOM_MAY_IMPORT


def test_the_zip_can_run_a_simulation_where_nothing_of_ours_is_installed(tmp_path: Path) -> None:
    path = write_package_zip(tmp_path)
    code = (
        "import sys\n"
        f"sys.path = [{str(path)!r}] + [p for p in sys.path if not p.endswith('/src')]\n"
        "import snowcast.sim.run as run, snowcast.sim.scenario as scenario\n"
        "assert run.__file__.startswith(sys.path[0]), run.__file__\n"
        "tables = {'cluster': {'nodes': 3}, 'quiet_s': 1, 'workload': {'messages': 1}}\n"
        "print(run.run(scenario.parse(tables), 1).deliveries)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "2\n"


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    zips = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        zips.append(write_package_zip(tmp_path / name))
    assert zips[0].name == zips[1].name
    assert zips[0].read_bytes() == zips[1].read_bytes()


def test_a_digest_changes_with_every_source_of_its_rooms_and_with_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("core/a.py", "sim/deep/b.py", "report/c.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("1\n")
    monkeypatch.setattr(package, "PACKAGE", tmp_path)

    def digest() -> str:
        digest_of.cache_clear()
        return digest_of(("core", "sim"))

    found = [digest()]
    (tmp_path / "report" / "c.py").write_text("2\n")
    assert digest() == found[0]
    (tmp_path / "sim" / "deep" / "b.py").write_text("2\n")
    found.append(digest())
    (tmp_path / "core" / "a.py").rename(tmp_path / "core" / "z.py")
    found.append(digest())
    digest_of.cache_clear()
    assert len(set(found)) == 3


@pytest.mark.parametrize("rooms", [SIMULATING, MEASURING])
def test_a_digest_is_of_all_that_simulates_and_all_that_measures(rooms: tuple[str, ...]) -> None:
    """No room imports one that is not in the digest, but for what makes the runs to measure."""
    imported = {other for room in rooms for other in ROOM_MAY_IMPORT[room]}
    assert imported - set(SIMULATING) <= set(rooms)
    assert digest_of(rooms) == digest_of(tuple(reversed(rooms)))
