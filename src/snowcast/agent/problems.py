"""What is said when something is not done: a status, a word that does not change, and advice."""

from __future__ import annotations

import logging
from http import HTTPStatus

import msgspec
from aiohttp import web

from snowcast.agent.shapes import Problem
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.runtime.errors import ClosedError

log = logging.getLogger("snowcast")


class Refusal(Exception):
    """Something that is not done now; `error` is a word for it, the text is for people."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error = error


def problem_of(request: web.Request, error: Exception) -> tuple[int, Problem]:
    """The status and the words for something that went wrong; bugs are logged."""
    match error:
        case Refusal():
            return error.status, Problem(error=error.error, message=str(error))
        case UsageError() | msgspec.MsgspecError():
            return HTTPStatus.BAD_REQUEST, Problem(error="bad_request", message=str(error))
        case ClosedError():
            message = "this agent is starting or ending: ask again, or another one"
            return HTTPStatus.SERVICE_UNAVAILABLE, Problem(error="not_running", message=message)
        case web.HTTPNotFound():
            message = f"no route {request.path}: /openapi.json lists those there are"
            return HTTPStatus.NOT_FOUND, Problem(error="no_such_route", message=message)
        case web.HTTPMethodNotAllowed():
            message = f"{request.path} takes {', '.join(sorted(error.allowed_methods))}"
            return HTTPStatus.METHOD_NOT_ALLOWED, Problem(error="wrong_method", message=message)
        case web.HTTPException():
            return error.status, Problem(error="bad_request", message=error.reason)
        case SnowcastError():
            message = str(error)
        case _:
            message = "a bug in the agent: its log says more"
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, Problem(error="internal", message=message)
