"""One clock for each node: held to a dense least squares, and to what was drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snowcast.pipeline.clocks.solve import Edges, centred, groups, solve


def edges(*rows: tuple[int, int, float, float]) -> Edges:
    a, b, offset, weight = zip(*rows, strict=True)
    return Edges(np.array(a), np.array(b), np.array(offset, float), np.array(weight, float))


def naive(count: int, known: Edges) -> Any:
    """The twin: all pairs as rows of a dense system, solved for the least sum of squares."""
    system = np.zeros((len(known.a), count))
    for row, (a, b) in enumerate(zip(known.a, known.b, strict=True)):
        system[row, a], system[row, b] = -1, 1
    root = np.sqrt(known.weight)
    return np.linalg.lstsq(system * root[:, None], known.offset * root, rcond=None)[0]


def naive_groups(count: int, known: Edges) -> list[int]:
    """The twin: who can be reached, one step after the other."""
    links = {(int(a), int(b)) for a, b in zip(known.a, known.b, strict=True)}
    links |= {(b, a) for a, b in links}
    found = []
    for node in range(count):
        reached = {node}
        while more := {b for a, b in links if a in reached} - reached:
            reached |= more
        found.append(min(reached))
    return found


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges, list[int]]:
    """Some nodes, what their clocks are off by, and pairs that tell the truth."""
    count = draw(st.integers(2, 8))
    truth = draw(st.lists(st.integers(-90_000, 90_000), min_size=count, max_size=count))
    node = st.integers(0, count - 1)
    pairs = draw(
        st.lists(
            st.tuples(node, node).filter(lambda pair: pair[0] < pair[1]), min_size=1, max_size=20
        )
    )
    weights = draw(
        st.lists(st.sampled_from([0.25, 1.0, 4.0]), min_size=len(pairs), max_size=len(pairs))
    )
    rows = [(a, b, truth[b] - truth[a], w) for (a, b), w in zip(pairs, weights, strict=True)]
    return count, edges(*rows), truth


@given(graphs())
def test_pairs_that_tell_the_truth_give_the_truth_but_for_the_middle(
    graph: tuple[int, Edges, list[int]],
) -> None:
    count, known, truth = graph
    group = groups(count, known)
    assert group.tolist() == naive_groups(count, known)
    found = centred(solve(count, known), group)
    assert np.allclose(found, centred(np.array(truth, float), group), atol=0.5)


@given(graphs(), st.randoms(use_true_random=False))
def test_pairs_that_err_a_little_give_what_a_dense_least_squares_gives(
    graph: tuple[int, Edges, list[int]], random: Any
) -> None:
    count, known, _ = graph
    # Within what Huber's loss trusts wholly, the squares decide alone.
    noisy = known._replace(offset=known.offset + [random.uniform(-0.5, 0.5) for _ in known.a])
    noisy = noisy._replace(weight=np.ones(len(noisy.a)))
    found, wanted = solve(count, noisy), naive(count, noisy)
    gaps = [(x[noisy.b] - x[noisy.a]) for x in (found, wanted)]
    assert np.allclose(*gaps, atol=0.01)


def test_a_pair_with_one_slow_way_is_trusted_less() -> None:
    ring = [(node, (node + 1) % 6, 0.0, 1.0) for node in range(6)]
    chords = [(node, (node + 2) % 6, 0.0, 1.0) for node in range(6)]
    bad = (0, 3, 5_000.0, 1.0)
    known = edges(*ring, *chords, bad)
    robust, plain = solve(6, known), naive(6, known)
    assert np.ptp(robust) < 5
    assert np.ptp(plain) > 500


def test_two_groups_are_centred_each_for_itself() -> None:
    known = edges((0, 1, 10.0, 1.0), (1, 2, 10.0, 1.0), (3, 4, 7.0, 1.0))
    group = groups(5, known)
    assert group.tolist() == [0, 0, 0, 3, 3]
    assert np.allclose(centred(solve(5, known), group), [-10, 0, 10, 0, 7], atol=0.01)
