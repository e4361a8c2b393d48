"""A sweep is every combination of its values, each a scenario of its own."""

from typing import Any

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.scenario import Scenario, parse, variants
from snowcast.sim.sweeps import combinations, label, parse_values, put, with_values

CRASH = {"do": "crash", "at_s": 1, "share": 0.5}


def test_every_combination_is_a_variant_and_the_last_key_changes_fastest() -> None:
    sweep = {"cluster": {"nodes": [3, 4]}, "protocol": ["gossip", "flooding"]}

    assert combinations(sweep) == [
        {"cluster.nodes": 3, "protocol": "gossip"},
        {"cluster.nodes": 3, "protocol": "flooding"},
        {"cluster.nodes": 4, "protocol": "gossip"},
        {"cluster.nodes": 4, "protocol": "flooding"},
    ]


def test_a_variant_is_the_scenario_with_its_values_and_no_sweep() -> None:
    sweep = {"cluster": {"nodes": [3, 4]}}
    found = variants(parse({"quiet_s": 7, "sweep": sweep}))

    assert found == [
        ({"cluster.nodes": nodes}, parse({"quiet_s": 7, "cluster": {"nodes": nodes}}))
        for nodes in (3, 4)
    ]


def test_a_scenario_without_a_sweep_is_its_own_only_variant() -> None:
    assert variants(Scenario()) == [({}, Scenario())]


def test_an_event_is_swept_by_its_number() -> None:
    scenario = parse({"event": [CRASH], "sweep": {"event": {"0": {"share": [0, 0.1]}}}})

    assert [one.event[0].share for _, one in variants(scenario)] == [0, 0.1]
    assert scenario.event[0].share == 0.5


def test_a_value_that_is_given_is_neither_swept_nor_drawn() -> None:
    swept = {"sweep": {"cluster": {"nodes": [3, 4]}, "protocol": ["gossip", "flooding"]}}
    drawn = {"draw": {"cluster": {"nodes": [5, 6], "fanout": [2, 4]}}}
    given = parse({**swept, **drawn}).with_values({"cluster.nodes": 9})

    assert given.cluster.nodes == 9
    assert given.sweep == {"protocol": ["gossip", "flooding"]}
    assert given.draw == {"cluster": {"fanout": [2, 4]}}


def test_tables_are_made_on_the_way_and_those_given_stay_as_they_were() -> None:
    tables: dict[str, Any] = {"event": (dict(CRASH),)}

    assert with_values(tables, {"event.0.share": 1, "a.b": 2}) == {
        "event": [{"do": "crash", "at_s": 1, "share": 1}],
        "a": {"b": 2},
    }
    assert tables == {"event": (CRASH,)}


@pytest.mark.parametrize(
    ("sweep", "complaint"),
    [
        ({"cluster": {"nodes": 5}}, r"sweep\.cluster\.nodes: expected a list of values, not 5"),
        ({"cluster": {"nodes": []}}, r"sweep\.cluster\.nodes: expected a list of values, not \[\]"),
        ({"cluster": {"nodes": [5, 0]}}, r"sweep: cluster\.nodes: expected `int` >= 1"),
        ({"cluster": {"nods": [5]}}, r"sweep: cluster\.nods: no such key; allowed: config, "),
        ({"protocol": ["gossip", "x"]}, r"sweep: protocol: no protocol 'x'; allowed: standard, "),
        ({"protocol": {"name": ["x"]}}, r"protocol\.name: protocol is not a table"),
        ({"event": {"1": {"share": [0.1]}}}, r"event\.1\.share: expected a number below 1, not"),
        ({"cluster": {"nodes": list(range(1, 1_002))}}, r"sweep: expected at most 1000"),
    ],
)
def test_what_cannot_be_swept_is_refused_by_name(sweep: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError, match=f"^{complaint}"):
        parse({"protocol": "standard", "event": [CRASH], "sweep": sweep})


def test_values_are_read_as_toml_or_else_as_they_stand() -> None:
    texts = ["a.b=3", "c = [1, 2]", "d=true", "e=random", "f=0.5", 'g="4"']

    assert parse_values(texts) == {
        "a.b": 3,
        "c": [1, 2],
        "d": True,
        "e": "random",
        "f": 0.5,
        "g": "4",
    }


@pytest.mark.parametrize("text", ["a", "a=", "=3", ""])
def test_a_value_without_its_key_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected a key and its value"):
        parse_values([text])


def test_values_in_a_word_can_be_read_again() -> None:
    values = {"cluster.nodes": 300, "cluster.lifeguard": False, "protocol": "gossip", "x": 0.25}

    assert label(values) == "cluster.nodes=300,cluster.lifeguard=false,protocol=gossip,x=0.25"
    assert parse_values(label(values).split(",")) == values


def test_a_value_that_is_put_into_a_list_needs_its_number() -> None:
    tables = {"a": [1, 2]}
    put(tables, "a.1", 3)

    assert tables == {"a": [1, 3]}
    for wrong in ("a.2", "a.x", "a.-1"):
        with pytest.raises(UsageError, match="expected a number below 2"):
            put(tables, wrong, 0)
