"""How a message spreads over a million nodes: trees, times, gossip. Plain numbers only.

Paper, Standard Snow Broadcasting Mechanism, Node Coloring, and Gossip of the Evaluation. Nodes are
their places on the ring, all views are equal, and the dead are dead for the whole message: whoever
sends to them does not know it.

Rules of this file:
- A node forwards at the latest of: this copy's arrival, and its first copy's arrival plus its
  delay (DESIGN 7). The origin has no delay.
- In one tree a node receives one frame at most, so what is known of that frame stands in arrays
  with a place for each node.
- Of copies that arrive together, the one that was sent on first is the first: the primary tree's
  here; in gossip, that of the sender that delivered first.
"""

from __future__ import annotations

import numpy as np

from snowcast.kernels.children import plan
from snowcast.kernels.jit import NEVER, Flags, Ints, Times, compiled

STANDARD, PRIMARY, SECONDARY = 0, 1, 2  # core.trees.Tree


@compiled
def grow(
    n: int,
    fanout: int,
    origin: int,
    tree: int,
    dead: Flags,
    sizes: Ints,
    order: Ints,
    parent: Ints,
    hop: Ints,
    frame_bytes: Ints,
) -> int:
    """All frames of one tree, in the order of their hops; how many there are.

    `order` gets the origin and then the receivers, by which `parent`, `hop` and `frame_bytes` of
    the frame are found. `sizes` has the bytes of a frame with no, one and two boundaries.
    """
    starts = np.empty(n, np.int32)
    counts = np.empty(n, np.int32)
    picks = np.empty((fanout, 3), np.int32)
    scratch = np.empty((2, 2 * fanout + 2), np.int32)
    order[0], parent[origin], hop[origin] = origin, -1, 0
    start, middle = (origin - n // 2) % n, n // 2
    starts[0], counts[0] = start, n
    done, filled = 0, 1
    if tree == SECONDARY:
        root = (origin - 1) % n
        order[1], starts[1], counts[1] = root, start, n
        parent[root], hop[root] = origin, 1
        frame_bytes[root] = sizes[2 if middle > 1 else 1]
        done, filled = 1, 2
    while done < filled:
        me, start, count = order[done], starts[done], counts[done]
        done += 1
        if dead[me] or count == 1:
            continue
        at = (me - start) % n
        absent = -1
        if tree == SECONDARY:
            absent = (origin - start) % n
            if absent >= count:
                absent = -1
        picked = plan(count, at, absent, fanout, tree != STANDARD, picks, scratch)
        for number in range(picked):
            low, relay, high = picks[number, 0], picks[number, 1], picks[number, 2]
            child = (start + relay) % n
            order[filled] = child
            starts[filled] = (start + low) % n
            counts[filled] = high - low + 1
            parent[child] = me
            hop[child] = hop[me] + 1
            frame_bytes[child] = sizes[int(low != relay) + int(high != relay)]
            filled += 1
    return filled


@compiled
def walk(
    order: Ints,
    filled: int,
    parent: Ints,
    dead: Flags,
    latency_us: Times,
    delay_us: Times,
    other_us: Times,
    at_us: Times,
    leaves_us: Times,
) -> bool:
    """When each frame of a tree arrives, and when its receiver forwards; whether that is news.

    `other_us` is when the other tree's frame arrives at each node: NEVER, if there is none.
    """
    has_changed = False
    origin = order[0]
    at_us[origin] = leaves_us[origin] = 0
    for number in range(1, filled):
        me = order[number]
        if dead[me]:
            continue
        arrives_us = leaves_us[parent[me]] + latency_us[me]
        if at_us[me] != arrives_us:
            at_us[me] = arrives_us
            has_changed = True
        first_us = min(arrives_us, other_us[me])
        leaves_us[me] = max(arrives_us, first_us + delay_us[me])
    return has_changed


@compiled
def walk_both(
    orders: Ints,
    filled: Ints,
    parents: Ints,
    dead: Flags,
    latencies_us: Times,
    delay_us: Times,
    at_us: Times,
) -> int:
    """The times of two trees that depend on one another; how many rounds it took.

    A node that has the message by one tree works on it and so forwards earlier in the other. A
    round takes what the last one found for the other tree. Times only fall from round to round,
    and a time that rests on a final one is final in the next round: the rounds end.
    """
    leaves_us = np.empty_like(at_us)
    rounds, has_changed = 0, True
    while has_changed:
        has_changed = False
        for tree in range(2):
            if walk(
                orders[tree],
                filled[tree],
                parents[tree],
                dead,
                latencies_us[tree],
                delay_us,
                at_us[1 - tree],
                at_us[tree],
                leaves_us[tree],
            ):
                has_changed = True
        rounds += 1
    return rounds


@compiled
def sum_up(
    origin: int,
    at_us: Times,
    senders: Ints,
    hops: Ints,
    frame_bytes: Ints,
    first_us: Times,
    first_row: Ints,
    first_sender: Ints,
    first_hops: Ints,
    copies: Ints,
    received_bytes: Times,
) -> None:
    """What each node got out of the trees, the rows of the first arrays. Sets NEVER to -1."""
    trees, n = at_us.shape
    for me in range(n):
        first_us[me] = first_sender[me] = first_hops[me] = -1
        first_row[me] = copies[me] = received_bytes[me] = 0
        for tree in range(trees):
            if at_us[tree, me] == NEVER:
                at_us[tree, me] = senders[tree, me] = hops[tree, me] = -1
                frame_bytes[tree, me] = 0
                continue
            if me != origin:
                copies[me] += 1
                received_bytes[me] += frame_bytes[tree, me]
            if first_us[me] < 0 or at_us[tree, me] < first_us[me]:
                first_us[me], first_row[me] = at_us[tree, me], tree
                first_sender[me], first_hops[me] = senders[tree, me], hops[tree, me]


@compiled
def gossip(
    origin: int,
    targets: Ints,
    dead: Flags,
    latency_us: Times,
    delay_us: Times,
    first_us: Times,
    parent: Ints,
    hop: Ints,
    at_us: Times,
) -> int:
    """Everybody who has the message sends it to the nodes in its row of `targets`, once.

    `at_us` and `latency_us` have a place for each target; what is not sent or is sent to the dead
    arrives at NEVER. Returns how many frames were sent.
    """
    n, fanout = targets.shape
    best_us = np.full(n, NEVER, np.int64)
    is_done = np.zeros(n, np.bool_)
    when = np.empty(n * fanout + 1, np.int64)  # the heap: times, and the number of the push
    which = np.empty(n * fanout + 1, np.int64)
    edges = np.empty(n * fanout + 1, np.int64)  # of each push
    pushes = size = sent = 0
    me, now_us, hop[origin], parent[origin] = origin, np.int64(0), 0, -1
    while True:
        is_done[me] = True
        first_us[me] = now_us
        leaves_us = now_us if me == origin else now_us + delay_us[me]
        for number in range(fanout):
            other = targets[me, number]
            sent += 1
            if dead[other]:
                continue
            arrives_us = leaves_us + latency_us[me, number]
            at_us[me, number] = arrives_us
            if not is_done[other] and arrives_us < best_us[other]:
                best_us[other] = arrives_us
                edges[pushes] = me * fanout + number
                _push(when, which, size, arrives_us, pushes)
                pushes += 1
                size += 1
        while size and is_done[targets[edges[which[0]] // fanout, edges[which[0]] % fanout]]:
            size -= 1
            _pop(when, which, size)
        if not size:
            return sent
        edge, now_us = edges[which[0]], when[0]
        size -= 1
        _pop(when, which, size)
        sender = edge // fanout
        me = targets[sender, edge % fanout]
        parent[me], hop[me] = sender, hop[sender] + 1


@compiled
def _push(when: Times, which: Times, size: int, at_us: int, number: int) -> None:
    """Put an entry into a heap of `size`."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if not _is_before(at_us, number, when[above], which[above]):
            break
        when[place], which[place] = when[above], which[above]
        place = above
    when[place], which[place] = at_us, number


@compiled
def _pop(when: Times, which: Times, size: int) -> None:
    """Take the first entry out of a heap, of which `size` are left then."""
    at_us, number = when[size], which[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        right = below + 1
        if right < size and _is_before(when[right], which[right], when[below], which[below]):
            below = right
        if not _is_before(when[below], which[below], at_us, number):
            break
        when[place], which[place] = when[below], which[below]
        place = below
    when[place], which[place] = at_us, number


@compiled
def _is_before(at_us: int, number: int, other_us: int, other_number: int) -> bool:
    return at_us < other_us or (at_us == other_us and number < other_number)
