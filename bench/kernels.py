"""Kernels: one broadcast along both trees over 1,000,000 nodes, beside SimPy's events, and memory.

SimPy does no protocol work: its events are the frames of a tree that is there already, each a
timeout whose callback begins those of its receiver's children. It has a tenth of the nodes, so that
its queue stays short. Seconds are those of the processor: kernels use one core.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from time import process_time

import numpy as np
import simpy

from bench.harness import Row, in_turns, not_measured
from snowcast.core.trees import Mode
from snowcast.kernels.dissemination import draw_targets, spread_gossip, spread_snow
from snowcast.kernels.scenario import Prepared
from snowcast.sim.library import find
from snowcast.sim.scenario import load

NODES = 1_000_000
FANOUT = 4
SIMPY_NODES = 100_000
ROUNDS = 5
SECONDS_MAX = 0.5
TIMES_SIMPY_MIN = 10
MIB_MAX = 1_000_000_000 / (1 << 20)
CHILD = "from bench.kernels import peak_mib; print(peak_mib())"


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    broadcast = _broadcast()
    broadcast()  # compiles
    seconds = min(_cpu_seconds(broadcast) for _ in range(ROUNDS))
    what = f"one broadcast, both trees, n={NODES:,}"
    yield Row(f"{what}, compiled", seconds, SECONDS_MAX, "s")

    frames = 2 * (NODES - 1)
    simpy_broadcast = _simpy_broadcast()
    rates = in_turns(
        {
            "kernel": lambda: frames / _cpu_seconds(broadcast),
            "simpy": lambda: (SIMPY_NODES - 1) / _cpu_seconds(simpy_broadcast),
        },
        ROUNDS,
    )
    yield Row(
        f"frames, both trees, n={NODES:,}",
        rates["kernel"],
        TIMES_SIMPY_MIN,
        "a second",
        at_least=True,
        rival="SimPy's bare events",
        rival_measured=rates["simpy"],
    )
    yield _memory(f"peak memory of a process that runs {what}")
    yield Row(f"{what}, its delays drawn too, as in a scenario", _drawn(), unit="s")
    yield Row(f"one gossip, n={NODES:,}, k={FANOUT}", _gossip(), unit="s")


def peak_mib() -> float:
    """Run the broadcast, and tell the most memory this process has had, compiling included."""
    import resource

    _broadcast()()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _broadcast() -> Callable[[], None]:
    """One message with the paper's delays, drawn beforehand."""
    random = np.random.default_rng(1)
    latency_us = random.integers(700, 900, (2, NODES))
    delay_us = random.integers(10_000, 200_000, NODES)

    def run() -> None:
        conditions = {"latency_us": latency_us, "delay_us": delay_us}
        spread = spread_snow(NODES, FANOUT, Mode.COLORING, **conditions)
        assert spread.reached == NODES

    return run


def _simpy_broadcast() -> Callable[[], None]:
    """One frame for each node: node i's children are k i + 1 to k i + k."""
    delays_ms = np.random.default_rng(1).uniform(10, 200, SIMPY_NODES).tolist()

    def run() -> None:
        environment = simpy.Environment()
        reached = 0

        def send(node: int) -> None:
            for child in range(FANOUT * node + 1, min(FANOUT * node + FANOUT + 1, SIMPY_NODES)):
                event = environment.timeout(delays_ms[child], child)
                event.callbacks.append(arrive)

        def arrive(event: simpy.Event) -> None:
            nonlocal reached
            reached += 1
            send(event.value)

        send(0)
        environment.run()
        assert reached == SIMPY_NODES - 1

    return run


def _memory(what: str) -> Row:
    """In a process of its own, as nobody gives memory back that was once in use."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return not_measured(what, (done.stderr.splitlines() or ["it failed"])[-1])
    return Row(what, float(done.stdout), MIB_MAX, "MiB")


def _drawn() -> float:
    """A message of the scenario `stable` with so many nodes: the second, as the first compiles."""
    scenario = load(find("stable")).with_(nodes=NODES, protocol="coloring")
    messages = Prepared(scenario.with_values({"workload.messages": 2}), 1).messages()
    next(messages)
    return _cpu_seconds(lambda: next(messages))


def _gossip() -> float:
    targets = draw_targets(NODES, FANOUT, np.random.default_rng(1))
    latency_us = np.random.default_rng(2).integers(700, 900, targets.shape)
    delay_us = np.random.default_rng(3).integers(10_000, 200_000, NODES)

    def run() -> None:
        spread_gossip(targets, latency_us=latency_us, delay_us=delay_us)

    run()
    return _cpu_seconds(run)


def _cpu_seconds(run: Callable[[], object]) -> float:
    """What this process, which has one thread at work, has spent on it."""
    begun = process_time()
    run()
    return process_time() - begun
