"""Randomness by name: one seed, and a stream of its own for each thing that needs one.

What is drawn under one name does not depend on what else is drawn, so every protocol meets the
same stragglers, delays and faults for a seed.

Rules of this file:
- Nothing depends on `hash()`, which differs from one process to the next.
- Names are told apart by type and length: ("a", "b") is not ("ab",), nor is 1 "1".
"""

from __future__ import annotations

from hashlib import blake2b
from random import Random

Name = str | int | bytes


def derive(seed: int, *names: Name) -> int:
    """64 bits that belong to `names` under `seed`."""
    digest = blake2b(digest_size=8)
    for name in (seed, *names):
        kind, raw = _bytes_of(name)
        digest.update(b"%c%d:" % (kind, len(raw)) + raw)
    return int.from_bytes(digest.digest(), "big")


def stream(seed: int, *names: Name) -> Random:
    """A random stream of its own for `names`."""
    return Random(derive(seed, *names))


def _bytes_of(name: Name) -> tuple[bytes, bytes]:
    if isinstance(name, int):
        return b"i", str(name).encode()
    if isinstance(name, str):
        return b"s", name.encode()
    return b"b", name
