"""What is said to somebody whose request is not done: a status, a word, and what to do."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from snowcast.agent.problems import Refusal, problem_of
from snowcast.core.errors import SnowcastError, UsageError
from snowcast.runtime.errors import ClosedError

REQUEST = make_mocked_request("POST", "/v1/x")


@pytest.mark.parametrize(
    ("error", "status", "word", "text"),
    [
        (Refusal(409, "in_use", "use another"), 409, "in_use", "use another"),
        (UsageError("no state 'x'"), 400, "bad_request", "no state 'x'"),
        (msgspec.ValidationError("Expected `str`"), 400, "bad_request", "Expected `str`"),
        (msgspec.DecodeError("truncated"), 400, "bad_request", "truncated"),
        (ClosedError("closed"), 503, "not_running", "this agent is starting or ending"),
        (web.HTTPNotFound(), 404, "no_such_route", "no route /v1/x: /openapi.json lists"),
        (
            web.HTTPMethodNotAllowed("POST", ["PUT", "GET"]),
            405,
            "wrong_method",
            "/v1/x takes GET, PUT",
        ),
        (web.HTTPBadRequest(reason="bad chunk"), 400, "bad_request", "bad chunk"),
    ],
)
def test_each_mistake_has_a_status_a_word_and_advice(
    error: Exception, status: int, word: str, text: str, caplog: Any
) -> None:
    found, problem = problem_of(REQUEST, error)
    assert (found, problem.error) == (status, word)
    assert problem.message.startswith(text)
    assert not caplog.records, "a mistake of the caller's is not our log's business"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SnowcastError("the disk is full"), "the disk is full"),
        (ValueError("secret=x"), "a bug in the agent: its log says more"),
    ],
)
def test_a_bug_is_logged_and_not_shown(error: Exception, text: str, caplog: Any) -> None:
    with caplog.at_level(logging.ERROR, "snowcast"):
        status, problem = problem_of(REQUEST, error)
    assert (status, problem.error, problem.message) == (500, "internal", text)
    [record] = caplog.records
    assert record.getMessage() == "POST /v1/x failed"
    assert record.exc_info[1] is error
