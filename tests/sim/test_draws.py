"""What a seed chooses for itself, and nothing else."""

from typing import Any

import pytest

from snowcast.core.errors import UsageError
from snowcast.sim.draws import draw_all, extremes

DRAW = {"cluster": {"nodes": {"low": 20, "high": 200}, "fanout": [2, 4]}}


def draws(draw: dict[str, Any], seeds: int = 50) -> list[dict[str, Any]]:
    """What each of some seeds draws."""
    return [draw_all({"cluster": {"nodes": 1}}, draw, seed) for seed in range(seeds)]


def test_a_range_is_drawn_from_with_both_ends() -> None:
    nodes = [drawn["cluster"]["nodes"] for drawn in draws(DRAW, 1_000)]

    assert min(nodes) == 20
    assert max(nodes) == 200


def test_a_list_is_chosen_from() -> None:
    assert {drawn["cluster"]["fanout"] for drawn in draws(DRAW)} == {2, 4}


def test_a_range_of_fractions_is_drawn_in_between() -> None:
    shares = [
        drawn["churn"]["share"] for drawn in draws({"churn": {"share": {"low": 0.5, "high": 1}}})
    ]

    assert all(0.5 <= share <= 1 for share in shares)
    assert len(set(shares)) > 40


def test_the_same_seed_draws_the_same() -> None:
    assert draws(DRAW) == draws(DRAW)


def test_another_draw_changes_none_of_the_others() -> None:
    more = {"cluster": {"ipv6": [True, False], **DRAW["cluster"]}}

    nodes = [drawn["cluster"]["nodes"] for drawn in draws(more)]

    assert nodes == [drawn["cluster"]["nodes"] for drawn in draws(DRAW)]


def test_the_extremes_are_each_choice_and_both_ends_alone() -> None:
    tried = list(extremes({"cluster": {"nodes": 1}, "draw": DRAW}, DRAW))

    assert tried == [
        {"cluster": {"nodes": 20}},
        {"cluster": {"nodes": 200}},
        {"cluster": {"nodes": 1, "fanout": 2}},
        {"cluster": {"nodes": 1, "fanout": 4}},
    ]


@pytest.mark.parametrize(
    "choice", [[], 7, "often", {"low": 3}, {"low": 5, "high": 3}, {"low": "a", "high": "b"}]
)
def test_what_cannot_be_drawn_from_is_refused_by_name(choice: Any) -> None:
    with pytest.raises(UsageError, match=r"^draw\.cluster\.nodes"):
        list(extremes({}, {"cluster": {"nodes": choice}}))


def test_a_key_below_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match=r"draw\.protocol\.name: protocol is not a table"):
        draw_all({"protocol": "standard"}, {"protocol": {"name": ["a"]}}, 0)
