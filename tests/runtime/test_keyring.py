"""Sealing, opening and changing keys while running."""

from __future__ import annotations

import pytest

from snowcast.core.errors import UsageError
from snowcast.runtime.keyring import KEY_BYTES, KeyRing, Refused, as_key, generate_key

HEAD = b"\x02tag!"
OLD, NEW = bytes(32), bytes(range(32))


def understands(reader: KeyRing, writer: KeyRing) -> bool:
    """Whether one opens what the other seals."""
    try:
        return reader.open(writer.seal(b"content", HEAD), HEAD).content == b"content"
    except Refused:
        return False


def test_what_is_sealed_is_opened_and_numbered() -> None:
    ring = KeyRing([OLD])
    first, second = (ring.open(ring.seal(text, HEAD), HEAD) for text in (b"one", b"two"))

    assert (first.content, second.content) == (b"one", b"two")
    assert (first.number, second.number) == (1, 2)
    assert first.session == second.session


def test_whatever_is_changed_on_the_way_is_refused() -> None:
    ring = KeyRing([OLD])
    whole = ring.seal(b"content", HEAD)
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= 1
        with pytest.raises(Refused):
            ring.open(bytes(changed), HEAD)
    for size in range(len(whole)):
        with pytest.raises(Refused):
            ring.open(whole[:size], HEAD)
    with pytest.raises(Refused):
        ring.open(whole, b"\x02tag?")


def test_keys_rotate_with_everybody_understanding_everybody_at_each_step() -> None:
    rings = [KeyRing([OLD]) for _ in range(3)]
    new = ""

    def everybody_understands() -> bool:
        return all(understands(a, b) for a in rings for b in rings)

    for ring in rings:
        new = ring.install(NEW)
        assert everybody_understands()
    for ring in rings:
        ring.use(new)
        assert everybody_understands()
    for ring in rings:
        ring.remove(ring.ids[1])
        assert everybody_understands()
    assert rings[0].ids == [new]
    assert not understands(rings[0], KeyRing([OLD]))


def test_the_key_in_use_cannot_be_removed_and_unknown_ones_are_named() -> None:
    ring = KeyRing([OLD, NEW])
    with pytest.raises(UsageError, match="use another one first"):
        ring.remove(ring.ids[0])
    with pytest.raises(UsageError, match=f"there are: {ring.ids[0]}, {ring.ids[1]}"):
        ring.use("beef")


def test_keys_are_bytes_or_base64_and_nothing_else() -> None:
    assert len(as_key(generate_key())) == max(KEY_BYTES)
    assert generate_key() != generate_key()
    for bad in ("not base64!", b"short", ""):
        with pytest.raises(UsageError):
            KeyRing([bad])
    with pytest.raises(UsageError, match="generate_key"):
        KeyRing([])


def test_the_keys_themselves_can_be_kept_and_make_the_same_ring() -> None:
    ring = KeyRing([generate_key(), generate_key()])
    ring.use(ring.ids[1])
    again = KeyRing(ring.texts())
    assert again.ids == ring.ids
    assert again.texts() == ring.texts()
