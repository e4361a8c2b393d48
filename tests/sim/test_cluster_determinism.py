"""Same seed, same run, byte for byte, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

from snowcast.core.config import SECOND
from snowcast.core.trees import Mode
from snowcast.sim.clocks import ClockSkew
from snowcast.sim.cluster import Cluster, address_of
from snowcast.sim.processing import Processing
from snowcast.sim.recording import Recording
from snowcast.sim.rules import Bandwidth, FlipFlop, Latency, Loss, Partition
from snowcast.trace.files import TraceWriter, fingerprint


def busy_run(seed: int, directory: Path) -> str:
    """A run in which everything happens that can; the fingerprint of its trace."""
    rules = [
        Bandwidth(10_000_000),
        Loss(0.01),
        Partition([[address_of(i) for i in range(8)]], 20 * SECOND, 24 * SECOND),
        FlipFlop([address_of(9)], 4 * SECOND, from_us=30 * SECOND, until_us=50 * SECOND),
        Latency.data_centre(),
    ]
    with TraceWriter(directory) as writer:
        recording = Recording("run", writer.write)
        cluster = Cluster(
            seed,
            rules=rules,
            observers=[recording],
            processing=Processing(stragglers="random"),
            clocks=ClockSkew.random(1 * SECOND, 50),
        )
        cluster.boot(24)
        nodes = cluster.nodes
        for second in range(1, 50, 3):
            mode = (Mode.STANDARD, Mode.COLORING)[second % 2]
            origin = nodes[second % 12]
            cluster.at(
                second * SECOND,
                lambda o=origin, m=mode, s=second: cluster.broadcast(o, b"hello", m, s % 3 == 0),
            )
        cluster.at(5 * SECOND, lambda: [cluster.join() for _ in range(4)])
        cluster.at(8 * SECOND, lambda: cluster.crash(nodes[13]))
        cluster.at(9 * SECOND, lambda: cluster.kill(nodes[14]))
        cluster.at(10 * SECOND, lambda: cluster.leave(nodes[15]))
        cluster.at(12 * SECOND, lambda: cluster.pause(nodes[16], 3 * SECOND))
        cluster.at(33 * SECOND, lambda: cluster.restart(nodes[13]))
        cluster.run_until(60 * SECOND)
        recording.finish(cluster)
    return fingerprint(directory)


def elsewhere(seed: int, directory: Path, hash_seed: str) -> str:
    """The same, in a process of its own that hashes strings differently."""
    tests = Path(__file__).parents[1]
    code = (
        "import sys; from pathlib import Path; from sim.test_cluster_determinism import busy_run;"
        " print(busy_run(int(sys.argv[1]), Path(sys.argv[2])))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(tests)}
    command = [sys.executable, "-c", code, str(seed), str(directory)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_same_seed_gives_the_same_trace_in_processes_that_hash_differently(
    tmp_path: Path,
) -> None:
    first = elsewhere(5, tmp_path / "a", "1")
    second = elsewhere(5, tmp_path / "b", "2")
    assert first == second == busy_run(5, tmp_path / "c")
    parts = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert "arrivals-00000.jsonl" in parts
    for part in parts:
        contents = [(tmp_path / run / part).read_bytes() for run in "abc"]
        assert contents[0] == contents[1] == contents[2], part


def test_another_seed_gives_another_trace(tmp_path: Path) -> None:
    assert busy_run(5, tmp_path / "a") != busy_run(6, tmp_path / "b")


def test_it_does_not_matter_in_how_many_steps_a_run_is_made() -> None:
    digests = []
    for step_us in (10 * SECOND, 137_000):
        digest = blake2b()
        recording = Recording("run", lambda row, digest=digest: digest.update(repr(row).encode()))
        cluster = Cluster(3, observers=[recording], processing=Processing())
        cluster.boot(12)
        cluster.at(2 * SECOND, lambda cluster=cluster: cluster.broadcast(cluster.nodes[2], b"x"))
        while cluster.now_us < 10 * SECOND:
            cluster.run_until(min(10 * SECOND, cluster.now_us + step_us))
        digests.append(digest.hexdigest())
    assert digests[0] == digests[1]
