"""Fifty nodes under steady load for ten minutes: all is delivered, and memory stays flat.

`SNOWCAST_SOAK_S=60` makes it shorter.
"""

from __future__ import annotations

import os
import time
from random import Random
from statistics import median
from typing import Any

import pytest

from snowcast.core.config import SECOND, Config
from support.fleet import Fleet, fleet

SECONDS = float(os.environ.get("SNOWCAST_SOAK_S", "600"))
PROCESSES, NODES_EACH = 5, 10
PER_SECOND = 40
SAMPLES = 30
SIZES = (0, 120, 5_000)
MIB = 1 << 20


def groups() -> list[list[str]]:
    """The nodes of each process."""
    return [
        [f"node-{process}-{number}" for number in range(NODES_EACH)] for process in range(PROCESSES)
    ]


class Load:
    """Messages of all kinds from all nodes, at a steady pace."""

    def __init__(self, f: Fleet) -> None:
        self.sent: dict[str, int] = dict.fromkeys(f.names, 0)
        self._fleet = f
        self._random = Random(1)
        self._number = 0

    def go_on(self, seconds: float) -> None:
        """Send for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._number += 1
            node = self._random.choice(list(self.sent))
            self._fleet.broadcast(
                node,
                f"message {self._number}",
                size=self._random.choice(SIZES),
                mode=self._random.choice(("standard", "coloring")),
                reliable=self._number % 10 == 0,
            )
            self.sent[node] += 1
            time.sleep(1 / PER_SECOND)

    def has_arrived(self) -> bool:
        """Whether every node has had all that the others have sent, and nothing twice."""
        total = sum(self.sent.values())
        heard = {name: stats["heard"] for name, stats in self._fleet.each("stats").items()}
        assert all(heard[name] <= total - sent for name, sent in self.sent.items()), heard
        return all(heard[name] == total - sent for name, sent in self.sent.items())


def resources(f: Fleet) -> list[dict[str, Any]]:
    """What each process holds."""
    return [f.ask(names[0], "resources") for names in groups()]


@pytest.mark.soak
def test_under_steady_load_all_is_delivered_and_memory_stays_flat() -> None:
    # What is remembered of messages is full, and forgotten as fast as it grows, in the first third.
    config = Config(seen_age_us=int(SECONDS / 10 * SECOND))
    with fleet(config=config) as f:
        for names in groups():
            f.launch(*names)
        f.join(*f.names, reports=False)
        f.agree()
        load = Load(f)
        samples = []
        for _ in range(SAMPLES):
            load.go_on(SECONDS / SAMPLES)
            samples.append(resources(f))
        f.until(load.has_arrived, "every message to arrive")

        third = SAMPLES // 3
        for process in range(PROCESSES):
            for what, slack in (("rss_bytes", 2 * MIB), ("descriptors", 8), ("tasks", 4)):
                values = [sample[process][what] for sample in samples]
                settled, last = median(values[third : 2 * third]), median(values[-third:])
                print(f"process {process}: {what} {values[0]:,}, {settled:,.0f}, {last:,.0f}")
                assert last <= settled * 1.05 + slack, (what, values)
        assert not [told for told in f.told if told.event == "MemberEvicted"]
        print(f"{sum(load.sent.values())} messages to {len(load.sent) - 1} others each")
