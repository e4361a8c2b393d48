"""Server-sent events: what happens, as it happens, to readers who may be slow or gone.

Rules of this file:
- Nothing waits here without bound: a reader's buffer is that of its subscription, and it is told
  what it missed as `lagged`. One that takes nothing at all for a while gives up its place.
- Comments come now and then, so that a reader sees that the agent lives, and the agent that nobody
  reads any more.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from aiohttp import web

from snowcast.agent.shapes import LaggedInfo
from snowcast.agent.showing import event_info, message_info
from snowcast.runtime.feeds import Lagged, Subscription
from snowcast.runtime.news import ClusterEvent, Message

HEARTBEAT_S = 15.0
WRITE_S = 60.0
CHUNK_BYTES = 64 << 10
HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
LISTENING, HEARTBEAT = b": listening\n\n", b": still here\n\n"
END = b"event: end\ndata: {}\n\n"


async def send_stream(
    request: web.Request, subscription: Subscription[Message] | Subscription[ClusterEvent]
) -> web.StreamResponse:
    """Send what a subscription has, until the agent leaves or the reader goes."""
    response = web.StreamResponse(headers=HEADERS)
    try:
        await response.prepare(request)
        await _write(response, LISTENING)
        while (chunk := await _next(subscription)) is not None:
            await _write(response, chunk)
        await _write(response, END)
        await response.write_eof()
    except ConnectionError:
        pass  # the reader has gone
    except TimeoutError:  # it is there and has stopped: what waits for it is for nobody
        if request.transport is not None:
            request.transport.abort()
    finally:
        subscription.close()
    return response


async def _write(response: web.StreamResponse, chunk: bytes) -> None:
    """Write to a reader who may not read; TimeoutError if it does not for too long."""
    async with asyncio.timeout(WRITE_S):
        await response.write(chunk)


async def _next(subscription: Subscription[Any]) -> bytes | None:
    """What is there, as bytes, or a comment if nothing comes for a while; None at the end."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            chunk = encoded(await anext(subscription))
    except TimeoutError:
        return HEARTBEAT
    except StopAsyncIteration:
        return None
    while len(subscription) and len(chunk) < CHUNK_BYTES:
        chunk += encoded(await anext(subscription))
    return chunk


def encoded(item: Message | ClusterEvent | Lagged) -> bytes:
    """One server-sent event."""
    match item:
        case Lagged():
            return _event("lagged", LaggedInfo(missed=item.missed))
        case Message():
            return _event("message", message_info(item), item.id)
        case _:
            return _event("event", event_info(item))


def _event(name: str, shape: msgspec.Struct, id: str = "") -> bytes:
    head = f"event: {name}\n" + (f"id: {id}\n" if id else "")
    return head.encode() + b"data: " + msgspec.json.encode(shape) + b"\n\n"
