"""docs/PROTOCOL.md says what the codec does: every kind with its fields, and examples in bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snowcast.core import frames as f
from snowcast.core.codec import decode, encode
from snowcast.core.fields import FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| `(\w+)` \| (.*) \|$", PAGE, flags=re.MULTILINE)


def examples() -> list[bytes]:
    """The bytes in the first column of each example."""
    text = PAGE.split("### Examples", 1)[1].split("\n###", 1)[0]
    blocks = re.findall(r"```text\n(.*?)```", text, flags=re.DOTALL)
    column = re.compile(r"^((?:[0-9a-f]{2} ?)+)  ", flags=re.MULTILINE)
    return [bytes.fromhex("".join(column.findall(block))) for block in blocks]


def test_every_kind_has_its_number_and_a_row() -> None:
    assert [(int(number), name) for number, name, _ in ROWS] == [
        (number, kind.__name__) for number, kind in enumerate(FIELDS)
    ]


@pytest.mark.parametrize("kind", [kind for kind in FIELDS if kind is not f.Data])
def test_the_fields_of_a_row_are_those_of_the_frame_in_their_order(kind: type) -> None:
    [told] = [fields for _, name, fields in ROWS if name == kind.__name__]
    bare = re.sub(r"\(.*?\)", "", told).replace("list of: message id, hop", "offers")
    assert len(bare.split(", ")) == len(FIELDS[kind])


def test_every_kind_is_explained() -> None:
    for kind in FIELDS:
        assert re.search(rf"^- .*\*\*{kind.__name__}\*\*", PAGE, flags=re.MULTILINE), kind


def test_the_examples_are_the_frames_they_are_said_to_be() -> None:
    leaf, inner, ack = (decode(data) for data in examples())
    assert [encode(frame) for frame in (leaf, inner, ack)] == examples()
    assert isinstance(leaf, f.Data)
    assert isinstance(inner, f.Data)
    assert isinstance(ack, f.Ack)
    assert (leaf.payload, leaf.is_leaf, inner.attempt, inner.hop) == (b"hello", True, 1, 2)
    assert (ack.id, ack.left, ack.right) == (inner.id, inner.left, inner.right)
    assert (str(ack.left), list(map(str, ack.missing))) == ("10.0.0.7:7946", ["10.0.0.4:7946"])
