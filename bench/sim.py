"""The simulator: frames that full nodes handle a second, against SimPy's bare events.

SimPy's events do no protocol work: each is a timeout whose callback draws a delay and begins the
next, with as many under way as the simulator has in its queue on average. Both run in short
slices, each counted at its best over many rounds, in time of the processor.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from time import process_time

import simpy

from bench.harness import Row
from snowcast.core.config import MS, SECOND
from snowcast.core.trees import Mode
from snowcast.sim.cluster import Cluster
from snowcast.sim.processing import Placement, Processing

NODES = 500
MESSAGES = 8
PAYLOAD = bytes(100)
SLICES = 450
SLICE_US = 20 * MS
PENDING = 1_800  # what the simulator's queue holds in these runs: mostly timers
EVENTS_A_SLICE = 1_000
ROUNDS = 8
SHARE_MIN = 0.15

Step = Callable[[], object]


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    loads = {
        "standard": (Mode.STANDARD, False),
        "coloring": (Mode.COLORING, False),
        "coloring, reliable": (Mode.COLORING, True),
    }
    frames: dict[str, int] = {}
    makers: dict[str, Callable[[], Iterator[Step]]] = {"simpy": _bare}
    for name, (mode, is_reliable) in loads.items():
        makers[name] = partial(_slices, mode, is_reliable, partial(frames.__setitem__, name))
    seconds = _best_seconds(makers)
    events = SLICES * EVENTS_A_SLICE / seconds["simpy"]
    for name in loads:
        what = f"frames that full nodes handle, n={NODES}, {name}"
        measured = frames[name] / seconds[name]
        rival = {"rival": "SimPy's bare events", "rival_measured": events}
        yield Row(what, measured, SHARE_MIN, "a second", at_least=True, **rival)


def _slices(mode: Mode, is_reliable: bool, count: Callable[[int], None]) -> Iterator[Step]:
    """The paper's experiment with its stragglers, in slices, the default detector running."""
    cluster = Cluster(1, processing=Processing(stragglers=Placement.ALIGNED))
    cluster.boot(NODES)
    origin = cluster.nodes[0]
    for second in range(MESSAGES):
        send = partial(cluster.broadcast, origin, PAYLOAD, mode, is_reliable)
        cluster.at(second * SECOND, send)
    for _ in range(SLICES):
        yield partial(cluster.run_for, SLICE_US)
    count(cluster.frames)


def _bare() -> Iterator[Step]:
    """SimPy's share."""
    environment, random = simpy.Environment(), Random(1)

    def again(event: object) -> None:
        environment.timeout(random.uniform(10, 200)).callbacks.append(again)

    def step(events: int) -> None:
        for _ in range(events):
            environment.step()

    for _ in range(PENDING):
        again(None)
    for _ in range(SLICES):
        yield partial(step, EVENTS_A_SLICE)


def _best_seconds(makers: dict[str, Callable[[], Iterator[Step]]]) -> dict[str, float]:
    """As `harness.best_seconds`, for steps that go on where the one before them stopped."""
    best: dict[str, list[float]] = {name: [] for name in makers}
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for name, make in makers.items():
                taken = []
                for step in make():
                    begun = process_time()
                    step()
                    taken.append(process_time() - begun)
                best[name] = [min(pair) for pair in zip(best[name] or taken, taken, strict=True)]
                gc.collect()
    finally:
        gc.enable()
    return {name: sum(seconds) for name, seconds in best.items()}
