"""The stories beside this file: whole clusters, told frame by frame.

Each is carried out anew and has to read as it is written. `pytest tests/transcripts --rewrite`
writes them as they are now; then read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from transcripts.story import retell

STORIES = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_the_story_is_still_true(path: Path, request: pytest.FixtureRequest) -> None:
    written = path.read_text()
    told = retell(written)
    if request.config.getoption("--rewrite"):
        path.write_text(told)
    else:
        assert told.splitlines() == written.splitlines(), f"changed: {path.name}; see --rewrite"
