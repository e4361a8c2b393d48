"""The group of commands: what is in it, and that listing it needs no Spark."""

from __future__ import annotations

import subprocess
import sys


def test_the_help_names_every_command_and_loads_no_spark() -> None:
    code = (
        "import sys; from snowcast.cli.main import main\n"
        "status = main(['pipeline', '--help'])\n"
        "assert 'pyspark' not in sys.modules, 'Spark was loaded'\n"
        "sys.exit(status)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    for command in ("sweep", "metrics"):
        assert f" {command} " in found.stdout
