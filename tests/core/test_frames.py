"""Frames are values: frozen, equal by content, and small words on what they say."""

from __future__ import annotations

import typing

import msgspec
import pytest
from hypothesis import given

from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.region import Region
from snowcast.core.trees import Tree
from support.frames import KINDS, data_frames, frames
from support.rings import any_addresses, member


def test_the_strategies_of_these_tests_make_every_kind_of_frame() -> None:
    assert set(KINDS) == set(typing.get_args(f.Frame))


@given(frames())
def test_a_frame_never_changes_and_is_equal_to_its_copy(frame: f.Frame) -> None:
    copy = msgspec.structs.replace(frame)
    assert frame == copy
    assert hash(frame) == hash(copy)
    with pytest.raises(AttributeError):
        setattr(frame, frame.__struct_fields__[0], None)


@given(data_frames())
def test_a_data_frame_is_a_leafs_just_when_it_has_no_boundary(data: f.Data) -> None:
    assert data.is_leaf == (data.left is None and data.right is None)


@given(data_frames(), any_addresses())
def test_a_boundary_that_is_not_named_is_the_receiver(data: f.Data, receiver: Address) -> None:
    region = data.region(receiver)
    assert region.left == (receiver if data.left is None else data.left)
    assert region.right == (receiver if data.right is None else data.right)


def test_the_region_of_a_leaf_is_the_leaf() -> None:
    data = f.Data(f.MessageId(member(1), 1, 1), Tree.STANDARD, None, None, b"")
    assert data.region(member(5)) == Region(member(5), member(5))


def test_a_data_frame_is_a_plain_first_attempt_unless_it_says_otherwise() -> None:
    data = f.Data(f.MessageId(member(1), 1, 1), Tree.STANDARD, None, None, b"x")
    assert (data.hop, data.attempt, data.is_reliable, data.is_system) == (1, 0, False, False)


def test_a_message_id_reads_as_origin_life_and_sequence() -> None:
    assert str(f.MessageId(member(1), 7, 42)) == "10.0.0.1:7946/7/42"


def test_messages_of_another_origin_life_or_sequence_are_other_messages() -> None:
    ids = {
        f.MessageId(member(origin), life, sequence)
        for origin in (1, 2)
        for life in (1, 2)
        for sequence in (1, 2)
    }
    assert len(ids) == 8
