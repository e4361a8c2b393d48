"""Make .venv and install the package into it, unless that is already done.

Run it through `make setup`. Standard library only, and written so that an old Python gets as far
as the message that it is too old.

Rules of this file:
- A stamp inside .venv says what was installed, for which pyproject.toml and constraints.txt. While
  it is current, nothing is done. It is removed before anything changes, so that a run that was
  cut off is never taken for a finished one.
- Extras add up: asking for `cli` after `pipeline` keeps `pipeline`.
- uv is used where it is found, and pip where it is not or where uv fails.
"""

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP_NAME = "snowcast-setup"
PYTHON_OLDEST = (3, 11)
PYTHON_NEWEST = (3, 13)


def main():
    parser = argparse.ArgumentParser(description="Make .venv and install snowcast into it.")
    parser.add_argument("--extras", default="dev", help="comma-separated (default: dev, for all)")
    wanted = set(filter(None, parser.parse_args().extras.replace(" ", "").split(",")))

    problem = python_problem(sys.version_info[:2], shutil.which("uv"), missing_venv_module())
    if problem:
        sys.exit("setup: " + problem)
    inputs = digest(ROOT)
    made_for, installed_inputs, installed = read_stamp(VENV)
    if made_for == venv_identity(VENV) and installed_inputs == inputs and wanted <= installed:
        return
    if made_for and made_for != venv_identity(VENV):
        print("setup: .venv was made for another Python or place, making it again", flush=True)
        shutil.rmtree(VENV)
        installed = set()
    extras = wanted | installed
    (VENV / STAMP_NAME).unlink(missing_ok=True)
    install(extras)
    write_stamp(VENV, inputs, extras)


def python_problem(version, uv, missing_module):
    """Why this Python cannot make the environment, in one line; None if it can."""
    if not PYTHON_OLDEST <= version <= PYTHON_NEWEST:
        return (
            "snowcast needs Python {}.{} to {}.{} and this is {}.{}; "
            "name another one: make setup PYTHON=python3.11"
        ).format(*PYTHON_OLDEST, *PYTHON_NEWEST, *version)
    if missing_module and not uv:
        return (
            f"this Python has no '{missing_module}' module; "
            "on Debian and Ubuntu: apt-get install python3-venv"
        )
    return None


def missing_venv_module():
    """The module that is missing to make an environment: Debian ships Python without some."""
    for name in ("venv", "ensurepip"):
        if importlib.util.find_spec(name) is None:
            return name
    return None


def digest(root):
    """A hash of everything that decides what gets installed."""
    content = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        content.update((root / name).read_bytes())
    return content.hexdigest()


def venv_identity(venv):
    """What an environment cannot survive a change of: its own path and the Python's version."""
    return "{} python {}.{}".format(venv, *sys.version_info[:2])


def read_stamp(venv):
    """(identity, digest, extras) of the last finished setup; empty ones if there is none."""
    try:
        identity, inputs, extras = (venv / STAMP_NAME).read_text().splitlines()
    except (OSError, ValueError):
        return "", "", set()
    return identity, inputs, set(extras.split(","))


def write_stamp(venv, inputs, extras):
    lines = [venv_identity(venv), inputs, ",".join(sorted(extras))]
    (venv / STAMP_NAME).write_text("\n".join(lines) + "\n")


def install(extras):
    uv = shutil.which("uv")
    if uv and install_with_uv(uv, extras):
        return
    problem = python_problem(sys.version_info[:2], None, missing_venv_module())
    if problem:
        sys.exit("setup: " + problem)
    say("pip", extras)
    python = VENV / "bin" / "python"
    run([sys.executable, "-m", "venv", VENV])
    run([python, "-m", "pip", "install", "--quiet", *what_to_install(extras)])


def install_with_uv(uv, extras):
    say("uv", extras)
    environment = dict(os.environ, UV_SYSTEM_CERTS="1")
    make = [uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, VENV]
    fill = [uv, "pip", "install", "--quiet", "--python", VENV / "bin" / "python"]
    for command in (make, fill + what_to_install(extras)):
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
            print("setup: uv failed, trying pip", flush=True)
            return False
    return True


def what_to_install(extras):
    package = ".[{}]".format(",".join(sorted(extras))) if extras else "."
    return ["-c", "constraints.txt", "-e", package]


def say(tool, extras):
    names = ", ".join(sorted(extras)) or "no extras"
    print(f"setup: installing snowcast into .venv with {tool} ({names})", flush=True)


def run(command):
    environment = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1")
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if status != 0:
        shown = " ".join(str(word) for word in command)
        sys.exit(f"setup: this failed with status {status}: {shown}")


if __name__ == "__main__":
    main()
