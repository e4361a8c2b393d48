"""Rows of one size at a time: the paper's, or the one that most is known about."""

from __future__ import annotations

from snowcast.report.sizes import of_one_size
from support.metric_rows import of_run


def test_the_papers_size_goes_before_all_others() -> None:
    paper = of_run("gossip", nodes=500, fanout=4)
    others = [of_run("gossip", nodes=60, fanout=4), of_run("gossip", nodes=500, fanout=8)]
    assert of_one_size([others[0], paper, *others]) == ([paper], "")


def test_without_the_papers_size_one_is_taken_and_named() -> None:
    small = of_run("gossip", nodes=60, fanout=4)
    large = of_run("gossip", nodes=900, fanout=4)
    wide = of_run("gossip", nodes=900, fanout=8)
    assert of_one_size([large, small, wide]) == ([wide], "n = 900, k = 8")
    assert of_one_size([small, large, small]) == ([small, small], "n = 60, k = 4")


def test_agents_that_were_never_counted_have_a_fanout_all_the_same() -> None:
    agents = of_run("standard", nodes=None, fanout=3)
    assert of_one_size([agents]) == ([agents], "k = 3")
    assert of_one_size([]) == ([], "")
