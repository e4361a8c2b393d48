"""The frames for all children of a plan, against each one made by itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.address import Address
from snowcast.core.codec import data_head, decode
from snowcast.core.effects import Forward, Send
from snowcast.core.frames import Data, MessageId
from snowcast.core.siblings import Siblings, frame_for
from snowcast.core.trees import Assignment, Tree
from support.frames import data_frames
from support.rings import any_addresses, ipv4_addresses, member

DATA = Data(MessageId(member(9), 1_800_000_000, 300), Tree.STANDARD, None, None, b"payload", 2)
CHILDREN = (
    Assignment(member(1), None, None),
    Assignment(member(3), member(2), member(4)),
    Assignment(member(5), None, member(6)),
    Assignment(member(8), member(7), None),
)


def families(addresses: st.SearchStrategy[Address]) -> st.SearchStrategy[tuple[Assignment, ...]]:
    """Children of whatever plan, sound or not."""
    boundaries = st.none() | addresses
    return st.lists(st.builds(Assignment, addresses, boundaries, boundaries), max_size=5).map(tuple)


@given(families(ipv4_addresses()) | families(any_addresses()), data_frames(), st.integers(0, 300))
def test_the_heads_of_siblings_are_those_of_their_frames(
    children: tuple[Assignment, ...], data: Data, hop: int
) -> None:
    siblings = Siblings(children)
    for _ in range(2):  # the second time from memory
        expected = [data_head(frame_for(child, data, hop)) for child in children]
        assert siblings.heads(data, hop) == expected


@given(
    families(ipv4_addresses()) | families(any_addresses()),
    st.lists(st.tuples(data_frames(), st.integers(0, 300)), min_size=1, max_size=4),
)
def test_a_run_is_the_frames_of_a_child_one_after_the_other(
    children: tuple[Assignment, ...], messages: list[tuple[Data, int]]
) -> None:
    siblings = Siblings(children)
    forwards = [Forward(data, hop, siblings) for data, hop in messages]
    for _ in range(2):  # the second time from memory
        runs = siblings.runs(forwards)
        assert runs == [
            b"".join([data_head(frame) + frame.payload for frame in frames])
            for frames in [[forward.frame(child) for forward in forwards] for child in children]
        ]


def test_each_sibling_gets_the_message_with_boundaries_of_its_own() -> None:
    heads = Siblings(CHILDREN).heads(DATA, 3)
    assert [decode(head + DATA.payload) for head in heads] == [
        Data(DATA.id, DATA.tree, None, None, DATA.payload, 3),
        Data(DATA.id, DATA.tree, member(2), member(4), DATA.payload, 3),
        Data(DATA.id, DATA.tree, None, member(6), DATA.payload, 3),
        Data(DATA.id, DATA.tree, member(7), None, DATA.payload, 3),
    ]


def test_a_forward_spelt_out_is_a_send_for_each_sibling() -> None:
    forward = Forward(DATA, 3, Siblings(CHILDREN))
    assert forward.sends() == [Send(c.child, frame_for(c, DATA, 3)) for c in CHILDREN]
