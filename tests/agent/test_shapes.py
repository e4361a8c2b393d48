"""The shapes of the control API: strict about what comes in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from snowcast.agent import shapes as s
from snowcast.agent.showing import _STATES
from snowcast.core.trees import Mode

ALL = [
    kind
    for kind in vars(s).values()
    if isinstance(kind, type) and issubclass(kind, s.Shape) and kind is not s.Shape
]


def test_all_are_frozen_closed_and_say_what_they_are() -> None:
    assert len(ALL) > 20
    for kind in ALL:
        config = kind.__struct_config__
        assert config.frozen
        assert config.forbid_unknown_fields
        assert kind.__doc__


def test_the_words_for_states_are_those_that_are_shown() -> None:
    assert set(s.STATES) == set(_STATES.values())
    field = next(f for f in msgspec.structs.fields(s.MemberInfo) if f.name == "state")
    assert set(field.type.__args__) == set(s.STATES)


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        (s.KeyInstall, {}),
        (s.KeyInstall, {"key": "x", "other": 1}),
        (s.LeaveOrder, {"linger": -0.1}),
        (s.LeaveOrder, {"linger": s.DAY_S + 1}),
        (s.Tags, {"tags": {"a": 1}}),
        (s.MemberChoice, {"member": None}),
    ],
)
def test_what_does_not_fit_is_refused(shape: Any, given: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, shape)


def test_a_query_is_text_and_becomes_what_it_means() -> None:
    given = {"mode": "coloring", "reliable": "true", "timeout": "2.5"}
    assert msgspec.convert(given, s.BroadcastQuery, strict=False) == s.BroadcastQuery(
        mode=Mode.COLORING, reliable=True, timeout=2.5
    )
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"timeout": "nan"}, s.BroadcastQuery, strict=False)
