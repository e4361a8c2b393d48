"""A story about a cluster: a text of commands, each block followed by what the cluster did.

    # A comment, for the reader.

    cluster 5 fanout=2
    broadcast 2 hello
    settle
    ----
    (what happened)

A blank line ends the output. What the commands are, the methods of `Teller` say.
`pytest tests/transcripts --rewrite` writes anew what happened; the diff is there to be read.
"""

from __future__ import annotations

import msgspec

from snowcast.core.config import MS, SECOND, Config
from snowcast.core.trees import Mode
from support.cluster import VirtualCluster
from transcripts import telling

DASHES = "----"
UNITS = {"ms": MS, "s": SECOND}


def retell(text: str) -> str:
    """The story with the output of its commands as it is now."""
    teller = Teller()
    paragraphs = []
    for paragraph in text.strip().split("\n\n"):
        told = paragraph.splitlines()
        if DASHES in told:
            commands = told[: told.index(DASHES)]
            told = [*commands, DASHES, *teller.tell(commands)]
        paragraphs.append("\n".join(told))
    return "\n\n".join(paragraphs) + "\n"


class Teller:
    """Carries out commands and says what came of them."""

    def __init__(self) -> None:
        self._cluster = VirtualCluster()
        self._left_out: set[str] = set()

    def tell(self, commands: list[str]) -> list[str]:
        """Carry out a block of commands; return what happened, line by line."""
        self._cluster.log.clear()
        answers: list[str] = []
        for line in commands:
            if not line.startswith("#"):
                word, *arguments = line.split()
                answers += getattr(self, f"do_{word}")(*arguments) or ()
        return telling.lines(self._cluster.log, self._left_out) + answers or ["(nothing)"]

    def do_cluster(self, n: str, *settings: str) -> None:
        """`cluster 5 heal_us=9s`: nodes 0 to 4 that know each other; settings as in `Config`."""
        pairs = (setting.split("=") for setting in settings)
        values = {key: _microseconds(value) for key, value in pairs}
        config = msgspec.convert(values, Config, strict=False)
        self._cluster = VirtualCluster.of(int(n), config)

    def do_leave_out(self, *kinds: str) -> None:
        """`leave_out Ack PongTimer News`: say nothing of such frames and timers from now on."""
        self._left_out = set(kinds)

    def do_start(self, i: str, *seeds: str) -> None:
        """`start 5 2 3`: start node 5, for the first time or again, with the seeds 2 and 3."""
        self._cluster.start(int(i), map(int, seeds))

    def do_crash(self, i: str) -> None:
        """`crash 3`: node 3 is gone in silence."""
        self._cluster.crash(int(i))

    def do_pause(self, i: str) -> None:
        """`pause 3`: node 3 does nothing until it is resumed."""
        self._cluster.pause(int(i))

    def do_resume(self, i: str) -> None:
        """`resume 3`: node 3 goes on."""
        self._cluster.resume(int(i))

    def do_cut(self, *groups: str) -> None:
        """`cut 0,1 2,3`: lose what is sent from one group to another."""
        self._cluster.cut(*(map(int, group.split(",")) for group in groups))

    def do_mend(self) -> None:
        """`mend`: lose nothing any more."""
        self._cluster.mend()

    def do_broadcast(self, i: str, payload: str, *how: str) -> None:
        """`broadcast 2 hello coloring reliable`: node 2 sends a message."""
        mode = Mode.COLORING if "coloring" in how else Mode.STANDARD
        self._cluster.broadcast(int(i), payload.encode(), mode, "reliable" in how)

    def do_leave(self, i: str) -> None:
        """`leave 3`: node 3 leaves."""
        self._cluster.leave(int(i))

    def do_run(self, time: str) -> None:
        """`run 500ms` or `run 2s`: let time pass."""
        self._cluster.run(int(_microseconds(time)))

    def do_settle(self) -> None:
        """`settle`: let time pass until nothing is under way but probes and the like."""
        self._cluster.settle()

    def do_views(self) -> list[str]:
        """`views`: say whom each node believes to be there."""
        told: dict[str, list[str]] = {}
        for i, view in self._cluster.views().items():
            told.setdefault(" ".join(f"n{member}" for member in view), []).append(f"n{i}")
        return [f"view of {' '.join(viewers)}: {view}" for view, viewers in told.items()]


def _microseconds(value: str) -> int | str:
    """`5s` and `500ms` as a number of microseconds; what is no time stays as it is."""
    digits = value.rstrip("ms")
    is_time = digits.isdigit() and value != digits
    return int(digits) * UNITS[value[len(digits) :]] if is_time else value
