"""The package as a zip: whole, importable, the same bytes each time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from snowcast.pipeline.package import write_package_zip


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
