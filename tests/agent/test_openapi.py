"""The description of the control API, held against a running agent, both ways."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import snowcast
from snowcast.agent import logs
from snowcast.agent.doorkeeper import Doorkeeper
from snowcast.agent.openapi import document
from snowcast.agent.routes import DESCRIPTION, PLAIN, ROUTES, STREAMS
from snowcast.agent.server import _Api
from support.agents import agent, pair
from support.http import Answer, Speaker, speaker
from support.json_schema import faults
from support.loops import on_loop

DOCUMENT = document()
KEY = b64encode(bytes(32)).decode()
OTHER_KEY = b64encode(bytes(31) + b"1").decode()


def checked(method: str, path: str, answer: Answer) -> Any:
    """What an answer says, if it is one that is described; its status and its body are."""
    operation = DOCUMENT["paths"][path.partition("?")[0]][method.lower()]
    assert str(answer.status) in operation["responses"], (method, path, answer)
    content = operation["responses"][str(answer.status)]["content"]
    [(kind, media)] = content.items()
    assert answer.headers["content-type"].split(";")[0] == kind
    if kind != "application/json":
        return answer.body.decode()
    value = json.loads(answer.body)
    assert faults(value, media["schema"], DOCUMENT) == []
    return value


@on_loop
async def test_every_route_is_described_and_every_description_is_a_route(tmp_path: Path) -> None:
    async with agent(tmp_path) as a:
        table = _Api(a, Doorkeeper(None, "", ())).table()
        routes = {(route.method.lower(), route.path) for route in table}
        described = {(verb, path) for path, at in DOCUMENT["paths"].items() for verb in at}
        assert routes == described | {("get", DESCRIPTION)}
        async with speaker(a) as to:
            served = await to.ask("GET", DESCRIPTION)
    assert json.loads(served.body) == DOCUMENT


def test_every_operation_says_what_it_is_and_no_two_share_a_name() -> None:
    operations = [operation for at in DOCUMENT["paths"].values() for operation in at.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(set(names)) == len(names) == len(ROUTES) + len(STREAMS) + len(PLAIN)
    assert all(operation["summary"].endswith(".") for operation in operations)
    for operation in operations:
        for parameter in operation.get("parameters", ()):
            assert parameter["description"]


def test_every_reference_leads_somewhere_and_every_shape_is_used() -> None:
    text = json.dumps(DOCUMENT)
    schemas = DOCUMENT["components"]["schemas"]
    used = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert used <= set(schemas)
    queries = {route.query.__name__ for route in ROUTES}
    assert set(schemas) == used | queries


QUESTIONS = [
    ("GET", "/v1/status", {}, 200),
    ("GET", "/v1/stats", {}, 200),
    ("GET", "/v1/settings", {}, 200),
    ("GET", "/v1/members", {}, 200),
    ("GET", "/v1/members?departed=true&state=alive&name=a*&tag=zone", {}, 200),
    ("GET", "/v1/members?state=well", {}, 400),
    ("GET", "/v1/members?departed=perhaps", {}, 400),
    ("GET", "/v1/member?member=a", {}, 200),
    ("GET", "/v1/member?member=nobody", {}, 404),
    ("GET", "/v1/member", {}, 400),
    ("POST", "/v1/broadcast", {"data": b"hello"}, 200),
    ("POST", "/v1/broadcast?reliable=true&mode=coloring", {"data": b"hello"}, 200),
    ("POST", "/v1/broadcast?reliable=true&timeout=0", {"data": b"hello"}, 504),
    ("POST", "/v1/broadcast?mode=rainbow", {"data": b"hello"}, 400),
    ("POST", "/v1/broadcast?timeout=-1", {"data": b"hello"}, 400),
    ("POST", "/v1/broadcast", {"data": bytes((16 << 20) + 1)}, 413),
    ("POST", "/v1/reach", {}, 200),
    ("POST", "/v1/views", {}, 200),
    ("GET", "/v1/keys", {}, 200),
    ("POST", "/v1/keys/install", {"json": {"key": OTHER_KEY}}, 409),
    ("POST", "/v1/keys/install", {"json": {"key": "short", "insecure": True}}, 400),
    ("POST", "/v1/keys/install", {"json": {"key": OTHER_KEY, "insecure": True}}, 200),
    ("POST", "/v1/keys/use", {"json": {"key": "nonsense"}}, 400),
    ("POST", "/v1/keys/remove", {"json": {}}, 400),
    ("POST", "/v1/keys/remove", {"data": b"{"}, 400),
    ("POST", "/v1/keys/remove", {"data": bytes(100_000)}, 413),
    ("POST", "/v1/evict", {"json": {"member": "nobody"}}, 404),
    ("POST", "/v1/evict", {"json": {"member": "a"}}, 400),
    ("PUT", "/v1/tags", {"json": {"tags": {"zone": "b"}}}, 200),
    ("PUT", "/v1/tags", {"json": {"tags": {"zone": "b" * 5000}}}, 400),
    ("PUT", "/v1/tags", {"json": {"tags": {"zone": 7}}}, 400),
    ("PUT", "/v1/tags", {"json": {"labels": {}}}, 400),
    ("POST", "/v1/reload", {}, 200),
    ("GET", "/healthz", {}, 200),
    ("GET", "/readyz", {}, 200),
    ("GET", "/metrics", {}, 200),
    ("POST", "/v1/leave", {"json": {"linger": -1}}, 400),
    ("POST", "/v1/leave", {"json": {"linger": 0.5}}, 202),
    ("POST", "/v1/reach", {}, 503),
    ("GET", "/readyz", {}, 503),
]
"""In this order, of one agent of two, from its first breath to its last."""


@on_loop
async def test_every_answer_of_a_running_agent_is_as_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "set_up", lambda log: None)  # logging belongs to the tests
    asked = set()
    async with pair(tmp_path, security={"keys": [KEY]}) as (a, _), speaker(a) as to:
        for method, path, body, status in QUESTIONS:
            answer = await to.ask(method, path, **body)
            checked(method, path, answer)
            assert answer.status == status, (method, path, answer)
            asked.add((method, path.partition("?")[0]))
    assert asked >= {(route.method, route.path) for route in ROUTES}


async def first_events(to: Speaker, path: str, count: int) -> list[tuple[str, Any]]:
    """So many events of a stream."""
    found: list[tuple[str, Any]] = []
    async with to.session.get(to.base + path) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        name = ""
        async for raw in response.content:
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((name, json.loads(line.removeprefix("data: "))))
            if len(found) == count:
                break
    return found


@on_loop
async def test_what_streams_carry_is_as_described(tmp_path: Path) -> None:
    import asyncio

    async with pair(tmp_path) as (a, b), speaker(a) as to, speaker(b) as other:
        messages = asyncio.create_task(first_events(to, "/v1/messages", 3))
        events = asyncio.create_task(first_events(to, "/v1/events", 1))
        while a.meters.streams < 2:
            await asyncio.sleep(0.005)
        await other.ask("POST", "/v1/broadcast", data="snö")
        await other.ask("POST", "/v1/broadcast", data=b"\xff")
        await other.ask("PUT", "/v1/tags", json={"tags": {"zone": "b"}})
        found = {"/v1/events": await events}
        a.leave()
        found["/v1/messages"] = await messages
    assert [(name, data.get("text")) for name, data in found["/v1/messages"]] == [
        ("message", "snö"), ("message", None), ("end", None),
    ]  # fmt: skip
    assert found["/v1/events"][0][1]["event"] == "updated"
    for stream in STREAMS:
        for name, data in found[stream.path]:
            schema = {"$ref": f"#/components/schemas/{stream.shapes[name].__name__}"}
            assert faults(data, schema, DOCUMENT) == []


@given(st.sampled_from([r for r in ROUTES if r.body not in (None, bytes)]), st.data())
def test_a_body_is_described_exactly_as_it_is_read(route: Any, data: Any) -> None:
    names = [field.name for field in msgspec.structs.fields(route.body)]
    values = st.one_of(
        st.none(), st.booleans(), st.integers(-10, 100_000), st.text(max_size=3),
        st.floats(allow_nan=False, allow_infinity=False), st.lists(st.text(max_size=2), max_size=2),
        st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2),
    )  # fmt: skip
    body = data.draw(st.dictionaries(st.sampled_from([*names, "else"]), values, max_size=3))
    schema = {"$ref": f"#/components/schemas/{route.body.__name__}"}
    try:
        msgspec.json.decode(json.dumps(body).encode(), type=route.body)
        is_read = True
    except msgspec.ValidationError:
        is_read = False
    assert is_read == (faults(body, schema, DOCUMENT) == [])


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"name": "a", "reason": "b"}, []),
        ({"name": "a"}, ["$: reason is missing"]),
        ({"name": 1, "reason": ""}, ["$.name: 1 is no string"]),
        ({"name": "a", "reason": "b", "x": 1}, ["$: x is not described"]),
    ],
)
def test_the_judge_of_answers_can_say_no(value: Any, wrong: list[str]) -> None:
    assert faults(value, {"$ref": "#/components/schemas/KeyFailure"}, DOCUMENT) == wrong


def test_the_version_is_ours() -> None:
    assert DOCUMENT["info"]["version"] == snowcast.__version__
