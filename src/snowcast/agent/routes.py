"""Every route of the control API: the one table that the server, its description and tests read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from snowcast.agent import handlers as h
from snowcast.agent import shapes as s

Handler = Callable[[Any, Any, Any], Awaitable[Any]]


@dataclass(frozen=True)
class Route:
    """One route. Its handler's first line says what it is for."""

    method: str
    path: str
    handler: Handler
    answer: type
    query: type[s.Shape] = s.Nothing
    body: type | None = None
    """What the request carries: a shape as JSON, or `bytes` as they come."""
    status: int = 200
    problems: tuple[int, ...] = ()
    """Which other statuses it may end with, beyond those that all routes have."""

    @property
    def about(self) -> str:
        """What it is for."""
        return (self.handler.__doc__ or "").strip()

    @property
    def name(self) -> str:
        """A name for it, unlike all others."""
        return self.handler.__name__


@dataclass(frozen=True)
class Stream:
    """A route that goes on: server-sent events, each of one of these shapes."""

    path: str
    name: str
    about: str
    shapes: dict[str, type[s.Shape]]
    """By the name of the server-sent event."""


ROUTES = (
    Route("GET", "/v1/status", h.status, s.StatusInfo),
    Route("GET", "/v1/stats", h.stats, s.StatsInfo),
    Route("GET", "/v1/settings", h.settings, dict),
    Route("GET", "/v1/members", h.members, s.MembersInfo, s.MembersQuery),
    Route("GET", "/v1/member", h.member, s.MemberInfo, s.MemberChoice, problems=(404, 409)),
    Route(
        "POST", "/v1/broadcast", h.broadcast, s.BroadcastInfo, s.BroadcastQuery, bytes,
        problems=(504,),
    ),
    Route("POST", "/v1/reach", h.reach, s.ReceiptInfo),
    Route("POST", "/v1/views", h.views, s.ViewsInfo),
    Route("GET", "/v1/keys", h.keys, s.KeysInfo, problems=(409,)),
    Route(
        "POST", "/v1/keys/install", h.install_key, s.KeysInfo, body=s.KeyInstall, problems=(409,)
    ),
    Route("POST", "/v1/keys/use", h.use_key, s.KeysInfo, body=s.KeyChange, problems=(409,)),
    Route("POST", "/v1/keys/remove", h.remove_key, s.KeysInfo, body=s.KeyChange, problems=(409,)),
    Route("POST", "/v1/evict", h.evict, s.MemberInfo, body=s.MemberChoice, problems=(404, 409)),
    Route("PUT", "/v1/tags", h.retag, s.MemberInfo, body=s.Tags),
    Route("POST", "/v1/reload", h.reload, s.ReloadInfo, problems=(409,)),
    Route("POST", "/v1/leave", h.leave, s.StatusInfo, body=s.LeaveOrder, status=202),
)  # fmt: skip

STREAMS = (
    Stream(
        "/v1/messages",
        "messages",
        "What other members broadcast, from now on.",
        {"message": s.MessageInfo, "lagged": s.LaggedInfo, "end": s.Nothing},
    ),
    Stream(
        "/v1/events",
        "events",
        "What becomes of members, from now on.",
        {"event": s.EventInfo, "lagged": s.LaggedInfo, "end": s.Nothing},
    ),
)

PLAIN = {
    "/healthz": "Whether the agent runs.",
    "/readyz": "Whether it has been let in and is not leaving; 503 if not.",
    "/metrics": "Metrics, as Prometheus reads them.",
}
"""Routes that answer with text."""

DESCRIPTION = "/openapi.json"

COMMON_PROBLEMS = {
    400: "Something in the request is not as described; the message says what.",
    401: "No token, or a wrong one. Asked for on a port only, not on the Unix socket.",
    403: "On loopback without TLS: the request is for another host than this machine.",
    404: "There is no such route, or no such member.",
    409: "Not as things are now; the message says what has to be done first.",
    408: "The body did not come in time.",
    413: "Too much in one request.",
    500: "A bug of ours; the log of the agent says more.",
    503: "Not now: the agent is starting or leaving, or has as many readers as it may.",
    504: "Not in time.",
}
"""Statuses that are no success, and what they mean."""
EVERYWHERE = (400, 401, 403, 500, 503)
"""What every route may answer."""
BODY_PROBLEMS = (408, 413)
"""What every route with a body may answer."""
