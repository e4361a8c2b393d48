"""What the commands that use Spark have in common."""

from __future__ import annotations

import sys

import pytest

from snowcast.cli.spark import need_the_extra, spark_session
from snowcast.core.errors import UsageError


@pytest.mark.parametrize("text", ["x=1", "spark.x", "", "=spark.x"])
def test_a_setting_is_a_key_of_spark_and_a_value(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected spark\.key"), spark_session(None, [text]):
        pass


def test_a_setting_may_have_an_equals_sign_in_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}

    def open_session(**words: object) -> object:
        given.update(words)
        raise UsageError("enough")

    monkeypatch.setattr("snowcast.pipeline.session.open_session", open_session)
    with pytest.raises(UsageError, match="enough"), spark_session("local[3]", ["spark.x=-Da=b"]):
        pass
    assert given == {"master": "local[3]", "settings": {"spark.x": "-Da=b"}}


def test_without_spark_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("snowcast.pipeline")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(UsageError, match=r"pip install 'snowcast\[pipeline\]'"):
        need_the_extra()
