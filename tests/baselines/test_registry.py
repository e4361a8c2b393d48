"""Protocols are asked for by name."""

import pytest

from snowcast.baselines.registry import protocol, protocol_names
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode


def test_the_two_ways_of_the_paper_are_there() -> None:
    assert protocol("standard").mode is Mode.STANDARD
    assert protocol("coloring").mode is Mode.COLORING


def test_snows_own_broadcaster_need_not_be_named() -> None:
    assert protocol("standard").make_broadcaster is None


def test_every_protocol_is_found_under_its_name_and_says_what_it_is() -> None:
    for name in protocol_names():
        assert protocol(name).name == name
        assert protocol(name).about


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"^no protocol 'paxos'; allowed: standard, coloring"):
        protocol("paxos")
