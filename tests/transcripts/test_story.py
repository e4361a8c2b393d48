"""How a story is told: what is carried out, what is kept as it is, what is left out."""

from __future__ import annotations

import pytest

from transcripts.story import retell

BROADCAST = """\
# Two nodes.

cluster 2 fanout=2
broadcast 0 hello
settle
----
      0.0  n0 -> n1  data n0/1 leaf hop 1
     10.0  n1: delivered n0/1 'hello'

# The end.
"""


def test_a_story_that_is_true_is_retold_as_it_is() -> None:
    assert retell(BROADCAST) == BROADCAST


def test_what_is_not_true_is_replaced_and_the_rest_is_kept() -> None:
    assert retell(BROADCAST.replace("n1: delivered", "n7: delivered")) == BROADCAST
    assert retell(BROADCAST.replace("hello\nsettle\n----\n", "hello\nsettle\n----\n??\n")) == (
        BROADCAST
    )


def test_frames_timers_and_news_can_be_left_out() -> None:
    told = retell("cluster 3\nleave_out Data Delivered\nbroadcast 0 hello\nsettle\n----\n")
    assert told.endswith("----\n(nothing)\n")
    news = "cluster 3\nleave 2\nrun 1s\n----\n"
    assert "news" in retell(news)
    assert "news" not in retell(news.replace("leave 2", "leave_out News\nleave 2"))


def test_settings_and_times_may_have_units() -> None:
    story = "cluster 2 reliable_deadline_us=30s anti_entropy_us=15000000\nleave 0\nsettle\n----\n"
    assert "  30000.0  n0: stopped" in retell(story)
    assert "n0: stopped" not in retell(story.replace("settle", "run 29999ms"))


@pytest.mark.parametrize("command", ["dance 1", "cluster 3 fanout=3", "run fast"])
def test_a_command_that_makes_no_sense_is_not_passed_over(command: str) -> None:
    with pytest.raises((AttributeError, ValueError)):
        retell(f"{command}\n----\n")
