"""Every figure that there are numbers for, and none that there are not."""

from __future__ import annotations

from pathlib import Path

from snowcast.report.figures.catalogue import draw_all
from snowcast.report.measured import open_measured
from support.metric_rows import everything, summary, write


def test_all_figures_have_a_name_a_title_and_a_caption(tmp_path: Path) -> None:
    drawn = list(draw_all(open_measured(write(tmp_path, everything()))))
    assert len({one.name for one in drawn}) == len(drawn) == 8
    for one in drawn:
        assert one.title
        assert one.caption.endswith(".")


def test_nothing_is_drawn_of_what_was_not_run(tmp_path: Path) -> None:
    tables = {"summary": [summary("sweep_nodes", "standard", "ldt_ms", 5)]}
    drawn = draw_all(open_measured(write(tmp_path, tables)))
    assert [one.name for one in drawn] == ["sweeps"]
