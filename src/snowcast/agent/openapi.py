"""The description of the control API, made from the table of routes: OpenAPI 3.1."""

from __future__ import annotations

from typing import Any

import msgspec

from snowcast import __version__
from snowcast.agent.routes import (
    BODY_PROBLEMS,
    COMMON_PROBLEMS,
    EVERYWHERE,
    PLAIN,
    ROUTES,
    STREAMS,
    Route,
    Stream,
)
from snowcast.agent.shapes import Problem

TEMPLATE = "#/components/schemas/{name}"
ABOUT = """\
What an agent of snowcast can be told and asked, by programs on its machine.

On the agent's Unix socket, whoever may open it may do all of this. On a port, each request carries
`Authorization: Bearer` and the token. A stream is a response of server-sent events that does not
end: a reader that is too slow loses the oldest items and reads `lagged` in their place, comments
come now and then so that both sides notice when the other has gone, and `end` is the last event of
an agent that leaves.
"""


def document() -> dict[str, Any]:
    """The whole description."""
    schemas = _schemas()
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    for stream in STREAMS:
        paths[stream.path] = {"get": _stream(stream)}
    for path, about in PLAIN.items():
        paths[path] = {"get": _plain(path, about)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "snowcast agent", "version": __version__, "description": ABOUT},
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas() -> dict[str, Any]:
    shapes: dict[type, None] = {Problem: None}
    for route in ROUTES:
        shapes |= dict.fromkeys([route.answer, route.query])
        shapes |= dict.fromkeys([route.body] if route.body else [])
    for stream in STREAMS:
        shapes |= dict.fromkeys(stream.shapes.values())
    named = [shape for shape in shapes if issubclass(shape, msgspec.Struct)]
    return msgspec.json.schema_components(named, ref_template=TEMPLATE)[1]


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.about.splitlines()[0],
        "parameters": _parameters(schemas[route.query.__name__]),
        "responses": {
            str(route.status): _json("What was asked for.", route.answer),
            **_problems(route.problems + (BODY_PROBLEMS if route.body else ())),
        },
    }
    if route.body is bytes:
        anything = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": anything}
    elif route.body is not None:
        content = _json("", route.body)["content"]
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, field in schema["properties"].items():
        rest = {key: value for key, value in field.items() if key != "description"}
        found.append(
            {
                "name": name,
                "in": "query",
                "required": name in schema["required"],
                "description": field.get("description", schema.get("description", "")),
                "schema": rest,
            }
        )
    return found


def _problems(statuses: tuple[int, ...]) -> dict[str, Any]:
    return {
        str(status): _json(COMMON_PROBLEMS[status], Problem)
        for status in sorted({*statuses, *EVERYWHERE})
    }


def _stream(stream: Stream) -> dict[str, Any]:
    items = ", ".join(
        f"`{event}` with a {shape.__name__}" for event, shape in stream.shapes.items()
    )
    one_of = [{"$ref": TEMPLATE.format(name=kind.__name__)} for kind in stream.shapes.values()]
    response = {
        "description": f"Server-sent events, the data of each as JSON: {items}.",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "x-data": one_of}},
    }
    return {
        "operationId": stream.name,
        "summary": stream.about,
        "responses": {"200": response, **_problems(())},
    }


def _plain(path: str, about: str) -> dict[str, Any]:
    text = {"text/plain": {"schema": {"type": "string"}}}
    responses: dict[str, Any] = {"200": {"description": about, "content": text}, **_problems(())}
    if path == "/readyz":
        responses["503"] = {"description": "Not ready; the text says why.", "content": text}
    return {"operationId": path[1:], "summary": about, "responses": responses}


def _json(description: str, shape: type) -> dict[str, Any]:
    schema = {"type": "object"}
    if issubclass(shape, msgspec.Struct):
        schema = {"$ref": TEMPLATE.format(name=shape.__name__)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
