"""The log: a line for each thing, nothing forged, nothing flooded, nothing lost that is news."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from snowcast.agent.logs import BURST, KINDS_MAX, QUIET_S, Json, Rarely, Text, set_up
from snowcast.agent.settings import Log, LogFormat, LogLevel

NASTY = "x\n2026 error: forged\x1b[2J\x9b31m\u2028"


@pytest.fixture
def put_back() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


def record(message: str = "hello", *args: object, level: int = logging.INFO, **extra: Any) -> Any:
    made = logging.LogRecord("snowcast", level, "here.py", 1, message, args, None)
    made.created, made.msecs = 1_800_000_000.25, 250
    vars(made).update(extra)
    return made


def test_a_line_for_people_has_time_level_words_and_fields() -> None:
    fields = {"name": "ada", "what": "two words", "empty": "", "quote": 'a"b', "n": 7}
    assert Text().format(record("joined %s", "blue", fields=fields)) == (
        "2027-01-15T08:00:00.250Z info: joined blue "
        'name=ada what="two words" empty="" quote="a\\"b" n=7'
    )


def test_a_line_of_json_has_the_same_as_keys() -> None:
    line = Json().format(record("joined %s", "blue", fields={"name": "ada", "n": 7}))
    assert json.loads(line) == {
        "time": "2027-01-15T08:00:00.250Z",
        "level": "info",
        "logger": "snowcast",
        "message": "joined blue",
        "name": "ada",
        "n": 7,
    }


@pytest.mark.parametrize("formatter", [Text(), Json()])
def test_a_peer_can_forge_no_line_and_move_no_cursor(formatter: logging.Formatter) -> None:
    for made in (record("from %s", NASTY), record("from", fields={"name": NASTY})):
        line = formatter.format(made)
        assert line.isprintable()
        assert len(line.splitlines()) == 1


def test_a_bug_has_its_trace_in_both_forms() -> None:
    try:
        raise ValueError("odd")
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    text = Text().format(record("failed", exc_info=info)).splitlines()
    assert text[0] == "2027-01-15T08:00:00.250Z info: failed"
    assert text[-1] == "ValueError: odd"
    entry = json.loads(Json().format(record("failed", exc_info=info)))
    assert entry["trace"].splitlines()[-1] == "ValueError: odd"


def test_warnings_of_one_kind_are_written_a_few_times_then_once_in_a_while() -> None:
    now = [0.0]
    rarely = Rarely(lambda: now[0])

    def written(count: int, message: str = "odd: %s") -> list[str]:
        made = [record(message, number, level=logging.WARNING) for number in range(count)]
        return [one.getMessage() for one in made if rarely.filter(one)]

    assert len(written(100)) == BURST
    assert len(written(3, "another: %s")) == 3, "each kind for itself"
    now[0] = QUIET_S
    assert written(2) == ["odd: 0 (95 more like it since)", "odd: 1"]


def test_what_is_no_warning_or_is_news_each_time_is_always_written() -> None:
    rarely = Rarely(lambda: 0.0)
    infos = [record("member %s", "joined") for _ in range(100)]
    news = [record("member %s", "evicted", level=logging.WARNING, is_news=True) for _ in range(100)]
    assert all(rarely.filter(one) for one in [*infos, *news])


def test_kinds_are_remembered_in_bounded_memory() -> None:
    rarely = Rarely(lambda: 0.0)
    for number in range(2 * KINDS_MAX):
        rarely.filter(record(f"kind {number}", level=logging.WARNING))
    assert len(rarely._kinds) == KINDS_MAX


@pytest.mark.usefixtures("put_back")
def test_the_settings_choose_level_and_form() -> None:
    stream = io.StringIO()
    set_up(Log(level=LogLevel.WARNING, format=LogFormat.JSON), stream)
    logging.getLogger("snowcast").info("quiet")
    logging.getLogger("snowcast").warning("loud")
    set_up(Log(), stream)  # once more, as on SIGHUP: not each line twice
    logging.getLogger("snowcast").info("again")
    first, second = stream.getvalue().splitlines()
    assert json.loads(first)["message"] == "loud"
    assert second.endswith(" info: again")
