"""One clock for each node, from what pairs of nodes say of theirs: robust least squares.

Each pair (a, b) says that b is ahead of a by so much, with a weight. The offsets that fit all of
this best make a Laplacian system, solved by conjugate gradients. Then pairs that fit far worse than
the others, as those with one slow way do, are trusted less (Huber 1964), and it is solved again.

Rules of this file:
- Numpy only, and no state: it runs on executors.
- Offsets are known within a group of nodes that probes connect, and not between groups. In each
  the clock in the middle counts as right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = Any
ROUNDS = 20
HUBER = 1.5
GAUGE = 1e-7
"""How weakly offsets are drawn to zero: enough to choose among those that fit as well."""
TOLERANCE = 1e-12


class Edges(NamedTuple):
    """Pairs of nodes, as numbers from 0: b is ahead of a by `offset`, in any unit."""

    a: Array
    b: Array
    offset: Array
    weight: Array


def solve(count: int, edges: Edges) -> Array:
    """The offsets of `count` nodes that fit best; the mean of each group is about 0."""
    weight = edges.weight.astype(float)
    found = np.zeros(count)
    misfit = edges.offset
    for _ in range(ROUNDS):
        # Only what is left is solved for, so that the gauge does not draw at offsets of hours.
        found = found + _least_squares(count, edges, weight, misfit)
        misfit = edges.offset - (found[edges.b] - found[edges.a])
        far = np.abs(misfit) * np.sqrt(edges.weight)
        allowed = HUBER * max(1.4826 * float(np.median(far)), 1.0)
        weight = edges.weight * np.minimum(1.0, allowed / np.maximum(far, allowed))
    return found


def groups(count: int, edges: Edges) -> Array:
    """The group of each node: the least node that probes connect it with, over whichever others."""
    group = np.arange(count)
    while True:
        least = np.minimum(group[edges.a], group[edges.b])
        better = group.copy()
        np.minimum.at(better, edges.a, least)
        np.minimum.at(better, edges.b, least)
        better = better[better]
        if np.array_equal(better, group):
            return group
        group = better


def centred(offsets: Array, group: Array) -> Array:
    """The offsets with the middle of each group at 0."""
    out = offsets.copy()
    for one in np.unique(group):
        mine = group == one
        out[mine] -= np.sort(offsets[mine])[(mine.sum() - 1) // 2]
    return out


def _least_squares(count: int, edges: Edges, weight: Array, offset: Array) -> Array:
    """Conjugate gradients, with the diagonal as preconditioner."""
    a, b = edges.a, edges.b

    def summed(values: Array) -> Array:
        return np.bincount(b, values, count) - np.bincount(a, values, count)

    diagonal = np.bincount(a, weight, count) + np.bincount(b, weight, count)
    pull = GAUGE * np.mean(diagonal)
    diagonal = diagonal + pull

    def applied(x: Array) -> Array:
        return summed(weight * (x[b] - x[a])) + pull * x

    found = np.zeros(count)
    residual = summed(weight * offset)
    scale = float(np.sum(residual * residual / diagonal))
    z = residual / diagonal
    direction, rho = z.copy(), float(residual @ z)
    for _ in range(4 * count + 50):
        if rho <= TOLERANCE * scale or rho <= 1e-300:
            break
        ahead = applied(direction)
        step = rho / float(direction @ ahead)
        found += step * direction
        residual -= step * ahead
        z = residual / diagonal
        rho, before = float(residual @ z), rho
        direction = z + (rho / before) * direction
    return found
