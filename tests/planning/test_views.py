"""The relay-view file: what it says, and that nothing else is taken for one."""

from __future__ import annotations

import pytest

from snowcast.core.errors import UsageError
from snowcast.planning.views import RelayView, Views, parse_views


def test_a_key_is_a_node_or_a_star_for_all_but_the_origin() -> None:
    views = parse_views(b'{"*": {"missing": [3, 4]}, "7": {"departed": [9]}, "0": {}}', 10)
    star, seven = RelayView(missing=frozenset([3, 4])), RelayView(departed=frozenset([9]))
    assert (views.of(1), views.of(7), views.of(0)) == (star, seven, RelayView())
    assert (views.of_origin(1), views.of_origin(7)) == (None, seven)


def test_an_empty_object_means_that_all_share_the_view_of_the_origin() -> None:
    assert parse_views(b"{}", 10) == Views()
    assert Views().of(3) is None


def test_a_view_lacks_who_is_missing_or_departed() -> None:
    view = RelayView(frozenset([1]), frozenset([2]))
    assert [view.lacks(number) for number in range(4)] == [False, True, True, False]


def test_a_star_may_list_any_node_for_each_knows_itself_anyhow() -> None:
    assert parse_views(b'{"*": {"missing": [0]}}', 1).others == RelayView(frozenset([0]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "truncated"),
        (b"nonsense", "not a relay view"),
        (b"[]", "got `array`"),
        (b'{"5": 3}', "got `int`"),
        (b'{"5": null}', "got `null`"),
        (b'{"5": {"mising": []}}', "unknown field `mising`"),
        (b'{"5": {"missing": 3}}', "got `int`"),
        (b'{"5": {"missing": ["3"]}}', "got `str`"),
        (b'{"5": {"missing": [1.5]}}', "got `float`"),
        (b'{"5": {"missing": [true]}}', "got `bool`"),
        (b'{"5": {"missing": [10]}}', "'5' lists 10; nodes are 0 to 9"),
        (b'{"*": {"departed": [-1]}}', r"'\*' lists -1"),
        (b'{"5": {"missing": [5]}}', "'5' lists itself"),
        (b'{"5": {"missing": [1], "departed": [1]}}', "lists 1 both"),
        (b'{"10": {}}', "key '10' is neither a node"),
        (b'{"-1": {}}', "key '-1' is neither a node"),
        (b'{"05": {}}', "key '05' is neither a node"),
        ('{"\u0665": {}}'.encode(), "is neither a node"),
        (b'{"x": {}}', "key 'x' is neither a node"),
        (b'{"5\xff": {}}', "not a relay view"),
        (b'{"*":' * 5_000, "not a relay view"),
        (b'{"' + b"9" * 5_000 + b'": {}}', "is neither a node"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse_views(text, 10)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
