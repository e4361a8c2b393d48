"""The exit statuses of all commands, in one table, and the error that ends one with a status.

`snowcast --help` and docs/OPERATIONS.md show this table.
"""

from __future__ import annotations

OK, NO, USAGE, NO_AGENT, REFUSED, INTERRUPTED = 0, 1, 2, 3, 4, 130
MACHINE = NO

STATUSES = {
    OK: "done; the answer is yes",
    NO: "the answer is no: somebody is missing, views differ, no such member, not in time; or the "
    "machine is in the way",
    USAGE: "the caller's mistake: an option, a setting, a file",
    NO_AGENT: "no agent answers there, or it does not let us in",
    REFUSED: "the agent does not do it now; the message says what has to be done first",
    INTERRUPTED: "stopped from the keyboard",
}


def help_text() -> str:
    """The table, as part of a help."""
    rows = "\n".join(f"- `{status}` {meaning}" for status, meaning in STATUSES.items())
    return f"**Exit statuses**\n\n{rows}"


class Failure(Exception):
    """A command ends with this status, and the text as one line on stderr."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
