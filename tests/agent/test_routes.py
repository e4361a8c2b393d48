"""The table of routes: whole, without doubles, and each status in it explained."""

from __future__ import annotations

import inspect

import msgspec

from snowcast.agent import handlers
from snowcast.agent.routes import (
    BODY_PROBLEMS,
    COMMON_PROBLEMS,
    DESCRIPTION,
    EVERYWHERE,
    PLAIN,
    ROUTES,
    STREAMS,
)
from snowcast.agent.shapes import Shape


def test_no_two_routes_are_the_same() -> None:
    places = [(route.method, route.path) for route in ROUTES]
    places += [("GET", path) for path in (*(s.path for s in STREAMS), *PLAIN, DESCRIPTION)]
    assert len(set(places)) == len(places)
    names = [route.name for route in ROUTES] + [stream.name for stream in STREAMS]
    assert len(set(names)) == len(names)


def test_every_public_handler_has_a_route_and_says_what_it_is_for() -> None:
    public = {
        function
        for name, function in inspect.getmembers(handlers, inspect.iscoroutinefunction)
        if not name.startswith("_") and function.__module__ == handlers.__name__
    }
    assert {route.handler for route in ROUTES} == public
    assert all(route.about for route in ROUTES)


def test_every_status_is_explained_once() -> None:
    used = {*EVERYWHERE, *BODY_PROBLEMS, *(status for r in ROUTES for status in r.problems)}
    assert used == set(COMMON_PROBLEMS)
    for route in ROUTES:
        assert not {*route.problems} & {*EVERYWHERE, *BODY_PROBLEMS}


def test_what_a_route_reads_takes_nothing_that_it_does_not_know() -> None:
    for route in ROUTES:
        for shape in (route.query, route.body):
            if shape not in (None, bytes):
                assert issubclass(shape, Shape)
                assert shape.__struct_config__.forbid_unknown_fields
    for stream in STREAMS:
        assert "lagged" in stream.shapes
        assert all(issubclass(shape, msgspec.Struct) for shape in stream.shapes.values())


def test_what_changes_something_is_no_get() -> None:
    reading = {route.name for route in ROUTES if route.method == "GET"}
    assert reading == {"status", "stats", "settings", "members", "member", "keys"}
    assert all(route.body is None for route in ROUTES if route.method == "GET")
