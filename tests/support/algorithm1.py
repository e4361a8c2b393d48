"""Algorithm 1 of the paper as it is printed: floor the part size, drop what remains.

Kept to show what the printed lines lose, and that the implementation does not.
"""

from __future__ import annotations

Pick = tuple[int, int, int]  # left boundary, node, right boundary


def find_node(left: int, right: int, current: int, k: int) -> list[Pick]:
    """FindNode(left, right, current, k), line by line."""
    half = k // 2
    if right - left <= k:
        return [(i, i, i) for i in range(left, right + 1) if i != current]
    child_nodes = []
    right_region_size = (right - current) // half
    l_boundary = current + 1
    for _ in range(half):
        r_boundary = l_boundary + right_region_size - 1
        child_nodes.append((l_boundary, (l_boundary + r_boundary + 1) // 2, r_boundary))
        l_boundary = r_boundary + 1
    # "... Use the same method on the left"
    left_region_size = (current - left) // half
    r_boundary = current - 1
    for _ in range(half):
        l_boundary = r_boundary - left_region_size + 1
        child_nodes.append((l_boundary, (l_boundary + r_boundary + 1) // 2, r_boundary))
        r_boundary = l_boundary - 1
    return child_nodes


def reached(n: int, k: int) -> set[int]:
    """Whom a broadcast from the middle of `n` nodes reaches when all run Algorithm 1."""
    got = {n // 2}
    todo = [(0, n // 2, n - 1)]
    while todo:
        left, current, right = todo.pop()
        for pick in find_node(left, right, current, k):
            if pick[0] <= pick[1] <= pick[2]:  # an empty part has no node in it
                got.add(pick[1])
                todo.append(pick)
    return got
