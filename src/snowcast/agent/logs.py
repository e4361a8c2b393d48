"""The log: lines for people or JSON, on stderr, and never a flood.

Rules of this file:
- One kind of warning is written a few times, then once in a while with how many were left out. The
  kind is the text before anything is filled in, so a peer cannot make kinds up. What is news each
  time says so, with `extra={"is_news": True}`.
- What is said with `extra={"fields": {...}}` becomes keys of the JSON, and `key=value` for people.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import IO

from snowcast.agent.settings import Log, LogFormat

BURST = 5
QUIET_S = 30.0
KINDS_MAX = 1024


def set_up(settings: Log, stream: IO[str] | None = None) -> None:
    """Write the log as the settings say."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Json() if settings.format is LogFormat.JSON else Text())
    handler.addFilter(Rarely())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.level.value.upper())
    # Its lines at INFO are one for each request.
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
    logging.captureWarnings(True)


class Text(logging.Formatter):
    """`2026-01-02T03:04:05.678Z warning: words key=value`."""

    def format(self, record: logging.LogRecord) -> str:
        words = f"{_time(record)} {record.levelname.lower()}: {_shown(record.getMessage())}"
        pairs = [f"{name}={_value(value)}" for name, value in _fields(record).items()]
        return " ".join([words, *pairs]) + _trace(self, record)


class Json(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        trace = _trace(self, record)
        if trace:
            entry["trace"] = trace.strip()
        return json.dumps(entry, default=str)


class Rarely(logging.Filter):
    """Lets a kind of warning through a few times, then once in a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._kinds: dict[tuple[str, str], list[float]] = {}  # since when, written, left out

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING or getattr(record, "is_news", False):
            return True
        now = self._clock()
        kind = record.name, str(record.msg)
        seen = self._kinds.pop(kind, None) or [now, 0, 0]
        if now - seen[0] >= QUIET_S:
            if seen[2]:
                record.msg = f"{record.getMessage()} ({seen[2]:.0f} more like it since)"
                record.args = ()
            seen = [now, 0, 0]
        self._kinds[kind] = seen
        if len(self._kinds) > KINDS_MAX:
            del self._kinds[next(iter(self._kinds))]
        if seen[1] >= BURST:
            seen[2] += 1
            return False
        seen[1] += 1
        return True


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}


def _time(record: logging.LogRecord) -> str:
    seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    return f"{seconds}.{int(record.msecs):03}Z"


def _value(value: object) -> str:
    text = _shown(str(value))
    return json.dumps(text, ensure_ascii=False) if not text or {" ", '"'} & set(text) else text


def _shown(text: str) -> str:
    """Text that forges no line and moves no cursor, whatever a peer calls itself."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return "\n" + formatter.formatException(record.exc_info) if record.exc_info else ""
