"""One broadcast by kernel: held against a walk with the core's own planning, node by node."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.codec import frame_size
from snowcast.core.errors import UsageError
from snowcast.core.frames import Data, MessageId
from snowcast.core.trees import Mode, Tree
from support.effort import THOROUGH, seeds
from support.rings import fanouts, member, modes, ring
from support.spreading import gossip, snow

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
kernel = pytest.importorskip("snowcast.kernels.dissemination", reason=WHY)


class Case:
    """A broadcast with everything about it drawn: delays that collide often, some nodes dead."""

    def __init__(self, n: int, seed: int) -> None:
        random = Random(seed)
        self.n = n
        self.origin = random.randrange(n)
        coarse = random.choice((1, 1_000, 50_000))
        self.latency_us = [[random.randrange(0, 100_000, coarse) for _ in range(n)] for _ in "ps"]
        self.delay_us = [random.randrange(0, 200_000, coarse) for _ in range(n)]
        for straggler in random.sample(range(n), n // 20):
            self.delay_us[straggler] = 1_000_000
        alive = [i for i in range(n) if i != self.origin]
        self.dead = set(random.sample(alive, int(len(alive) * random.choice((0, 0, 0.02, 0.3)))))

    @property
    def dead_flags(self):
        return np.isin(np.arange(self.n), list(self.dead))


@THOROUGH
@given(st.integers(1, 400), fanouts(), modes(), seeds())
def test_every_frame_of_a_broadcast_is_the_one_that_the_core_would_send_at_that_time(
    n: int, fanout: int, mode: Mode, seed: int
) -> None:
    case = Case(n, seed)
    lanes = 2 if mode is Mode.COLORING and n > 2 else 1
    spread = kernel.spread_snow(
        n,
        fanout,
        mode,
        case.origin,
        latency_us=np.array(case.latency_us[:lanes]),
        delay_us=np.array(case.delay_us),
        dead=case.dead_flags,
    )
    came = snow(
        ring(n),
        fanout,
        mode,
        case.origin,
        lambda lane, node: case.latency_us[lane][node],
        case.delay_us,
        case.dead,
        bytes(100),
    )
    arrivals = spread.arrivals()
    columns = (arrivals.tree, arrivals.node, arrivals.sender, arrivals.at_us, arrivals.hop)
    rows = zip(*(column.tolist() for column in (*columns, arrivals.bytes)), strict=True)
    assert sorted(rows) == sorted(tuple(frame) for frame in came)
    check_sums(spread, came, case)


def check_sums(spread, came, case: Case) -> None:
    """What is told of each node follows from the frames that came there."""
    for node in range(case.n):
        here = sorted((f.at_us, f.tree, f) for f in came if f.node == node)
        told = (spread.first_us[node], spread.hops[node], spread.senders[node])
        if node == case.origin:
            assert told == (0, 0, -1)
            assert not here
        elif not here:
            assert told == (-1, -1, -1)
        else:
            first = here[0][2]
            assert told == (first.at_us, first.hop, first.sender)
        assert spread.copies[node] == len(here)
        assert spread.received_bytes[node] == sum(f.bytes for _, _, f in here)
    assert spread.reached == 1 + len({f.node for f in came})
    assert spread.live == case.n - len(case.dead)
    assert spread.last_us == max((spread.first_us[f.node] for f in came), default=0)


@THOROUGH
@given(st.integers(1, 60), st.integers(1, 8), seeds())
def test_gossip_does_as_its_naive_twin_with_the_same_draws(n: int, fanout: int, seed: int) -> None:
    case = Case(n, seed)
    targets = kernel.draw_targets(n, fanout, np.random.default_rng(seed))
    latency_us = np.random.default_rng(seed).integers(0, 5, targets.shape) * 1_000
    spread = kernel.spread_gossip(
        targets,
        case.origin,
        latency_us=latency_us,
        delay_us=np.array(case.delay_us),
        dead=case.dead_flags,
    )
    had, frames = gossip(
        case.origin, targets.tolist(), latency_us.tolist(), case.delay_us, case.dead
    )
    told = zip(spread.first_us.tolist(), spread.hops.tolist(), spread.senders.tolist(), strict=True)
    assert list(told) == [had.get(node, (-1, -1, -1)) for node in range(n)]
    arrivals = spread.arrivals()
    columns = (arrivals.sender, arrivals.node, arrivals.at_us)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    assert sorted(rows) == sorted(frames)
    assert spread.copies.tolist() == [[to for _, to, _ in frames].count(i) for i in range(n)]
    assert spread.frames_sent == len(had) * targets.shape[1]


@given(st.integers(1, 40), st.integers(1, 12), seeds())
def test_targets_are_as_many_others_as_asked_for_all_different(
    n: int, fanout: int, seed: int
) -> None:
    targets = kernel.draw_targets(n, fanout, np.random.default_rng(seed)).tolist()
    assert len(targets) == n
    for node, row in enumerate(targets):
        assert len(set(row)) == len(row) == min(fanout, n - 1)
        assert node not in row
        assert all(0 <= other < n for other in row)


def test_every_other_node_is_as_likely_a_target() -> None:
    n, fanout, trials = 8, 3, 4_000
    random = np.random.default_rng(5)
    counts = np.zeros((n, n))
    for _ in range(trials):
        targets = kernel.draw_targets(n, fanout, random)
        np.add.at(counts, (np.arange(n)[:, None], targets), 1)
    shares = counts[~np.eye(n, dtype=bool)] / trials
    assert abs(shares - fanout / (n - 1)).max() < 0.04  # five sigma


def test_gossip_with_k_4_settles_at_its_fixed_point_of_0_980() -> None:
    random = np.random.default_rng(7)
    n = 20_000
    spreads = [kernel.spread_gossip(kernel.draw_targets(n, 4, random)) for _ in range(5)]
    assert sum(spread.reached for spread in spreads) / len(spreads) / n == pytest.approx(
        0.9802, abs=0.001
    )


@pytest.mark.parametrize(
    ("mode", "bytes_each"), [(Mode.STANDARD, (112, 122)), (Mode.COLORING, (224, 244))]
)
def test_bytes_a_node_are_what_the_papers_header_allows(
    mode: Mode, bytes_each: tuple[int, int]
) -> None:
    spread = kernel.spread_snow(500, 4, mode)
    low, high = bytes_each
    assert low <= spread.received_bytes.sum() / 499 <= high


@pytest.mark.parametrize("is_ipv6", [False, True])
@pytest.mark.parametrize("payload_bytes", [0, 100, 1_000, 1 << 20])
def test_frames_are_as_large_as_the_codec_makes_them(payload_bytes: int, is_ipv6: bool) -> None:
    sizes = kernel.sizes_of_frames(payload_bytes, is_ipv6, life=300, sequence=70_000)
    address = member(1)
    if is_ipv6:
        address = type(address).parse("[fd00::7]:1")
    id = MessageId(address, 300, 70_000)
    for size, ends in zip(sizes, ((), (address,), (address, address)), strict=True):
        left, right = (*ends, None, None)[:2]
        assert size == frame_size(Data(id, Tree.PRIMARY, left, right, bytes(payload_bytes)))


def test_no_delay_at_the_origin_and_one_number_for_all_frames() -> None:
    spread = kernel.spread_snow(3, 4, Mode.STANDARD, 1, latency_us=5, delay_us=1_000)
    assert spread.first_us.tolist() == [5, 0, 5]


def test_a_node_works_on_its_first_copy_and_sends_the_other_one_on_at_once() -> None:
    n, origin = 40, 0
    slow = np.full((2, n), 10)
    slow[0] = 100_000  # the primary tree's frames take long, so all work is done when they come
    spread = kernel.spread_snow(n, 4, Mode.COLORING, origin, latency_us=slow, delay_us=50_000)
    inner = np.unique(spread.tree_senders[0][spread.tree_senders[0] >= 0])
    waits = [
        spread.at_us[0][spread.tree_senders[0] == node].min() - 100_000 - spread.at_us[0][node]
        for node in inner
        if spread.at_us[1][node] >= 0 and spread.at_us[1][node] + 50_000 <= spread.at_us[0][node]
    ]
    assert waits
    assert not any(waits)


def test_arrays_that_cannot_be_written_or_are_cut_out_of_others_are_taken_all_the_same() -> None:
    n = 30
    latencies = np.arange(4 * n).reshape(n, 4).T[:2]
    latencies.flags.writeable = False
    expected = kernel.spread_snow(n, 4, Mode.COLORING, latency_us=latencies.copy())
    spread = kernel.spread_snow(n, 4, Mode.COLORING, latency_us=latencies)
    assert (spread.at_us == expected.at_us).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"origin": 9}, "origin must be one of the 9 nodes, not 9"),
        ({"origin": -1}, "not -1"),
        ({"dead": [True] + [False] * 8}, "a dead node cannot be the origin"),
        ({"dead": [False] * 8}, "dead must have 9 places"),
        ({"latency_us": [[1] * 8]}, r"latency_us must be one number or \(1, 9\), not \(1, 8\)"),
        ({"delay_us": -1}, "delay_us must not be negative"),
    ],
)
def test_conditions_that_make_no_sense_are_the_callers_mistake(wrong: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        kernel.spread_snow(9, 4, Mode.STANDARD, **wrong)


def test_an_odd_fanout_is_refused_as_everywhere() -> None:
    with pytest.raises(UsageError, match="fanout must be even"):
        kernel.spread_snow(9, 3, Mode.STANDARD)
