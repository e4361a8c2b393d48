"""Compiled code does what its source says: each function, run both ways, fills the same arrays.

That what it says is right is held by `test_dissemination`, against the core.
"""

from __future__ import annotations

from typing import Any

import pytest

from snowcast.core.trees import Mode

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
children = pytest.importorskip("snowcast.kernels.children", reason=WHY)
compiled = pytest.importorskip("snowcast.kernels.compiled", reason=WHY)
dissemination = pytest.importorskip("snowcast.kernels.dissemination", reason=WHY)

FUNCTIONS = [
    (module, name)
    for module in (children, compiled)
    for name, value in vars(module).items()
    if hasattr(value, "py_func")
]


def as_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nothing is compiled: not what is called from here, nor what that calls."""
    for module, name in FUNCTIONS:
        monkeypatch.setattr(module, name, getattr(module, name).py_func)


def both_trees(n: int, fanout: int, origin: int, seed: int) -> list[Any]:
    """Everything that is known of a broadcast along two trees."""
    random = np.random.default_rng(seed)
    dead = random.random(n) < 0.1
    dead[origin] = False
    sizes = np.array([112, 118, 124], np.int32)
    orders, senders, hops, frame_bytes = (np.zeros((2, n), np.int32) for _ in range(4))
    filled = np.zeros(2, np.int32)
    for lane, tree in enumerate((compiled.PRIMARY, compiled.SECONDARY)):
        rows = orders[lane], senders[lane], hops[lane], frame_bytes[lane]
        filled[lane] = compiled.grow(n, fanout, origin, tree, dead, sizes, *rows)
    at_us = np.full((2, n), compiled.NEVER, np.int64)
    latencies, delays = random.integers(1, 9, (2, n)), random.integers(0, 99, n)
    rounds = compiled.walk_both(orders, filled, senders, dead, latencies, delays, at_us)
    first_us, received = np.empty(n, np.int64), np.empty(n, np.int64)
    nodes = [np.empty(n, np.int32) for _ in range(4)]
    trees = senders, hops, frame_bytes
    compiled.sum_up(origin, at_us, *trees, first_us, *nodes, received)
    return [rounds, filled, orders, *trees, at_us, first_us, *nodes, received]


def by_gossip(n: int, fanout: int, origin: int, seed: int) -> list[Any]:
    """Everything that is known of a gossip."""
    random = np.random.default_rng(seed)
    targets = dissemination.draw_targets(n, fanout, random)
    dead = random.random(n) < 0.1
    dead[origin] = False
    latencies, delays = random.integers(1, 9, targets.shape), random.integers(0, 99, n)
    first_us, at_us = np.full(n, -1, np.int64), np.full(targets.shape, -1, np.int64)
    senders, hops = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    rest = first_us, senders, hops, at_us
    return [compiled.gossip(origin, targets, dead, latencies, delays, *rest), *rest]


@pytest.mark.parametrize("broadcast", [both_trees, by_gossip])
@pytest.mark.parametrize(
    ("n", "fanout", "seed"), [(3, 2, 1), (5, 4, 2), (9, 8, 3), (40, 4, 4), (97, 8, 5), (120, 2, 6)]
)
def test_compiled_code_fills_the_same_arrays_as_its_source(
    broadcast: Any, n: int, fanout: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    origins = (0, n // 2, n - 1)
    expected = [broadcast(n, fanout, origin, seed) for origin in origins]
    as_source(monkeypatch)
    for origin, wanted in zip(origins, expected, strict=True):
        found = broadcast(n, fanout, origin, seed)
        assert all(map(np.array_equal, found, wanted))


def test_one_tree_is_walked_as_its_source_says(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = dissemination.spread_snow(77, 4, Mode.STANDARD, 5, delay_us=3)
    as_source(monkeypatch)
    found = dissemination.spread_snow(77, 4, Mode.STANDARD, 5, delay_us=3)
    assert np.array_equal(found.at_us, expected.at_us)
    assert np.array_equal(found.received_bytes, expected.received_bytes)
