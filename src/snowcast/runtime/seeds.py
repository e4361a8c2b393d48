"""Seeds: where to ask first. Names are looked up, for ever if need be.

The core knows seeds by address. A name may stand for many, may not exist yet, may lead elsewhere
tomorrow, and a node may go by another address than the one it was found at; each time something
else is known the core is told, until it needs no seeds any more.

Rules of this file:
- Nobody waits long for a name: neither the start nor the end of a node, nor another name.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime.ports import split_host_port

RETRY_S = 5.0
HEAD_START_S = 0.5  # how long a start waits for names: one that is found in time is there at once

log = logging.getLogger("snowcast")


class Seeds:
    """The seeds of one node."""

    def __init__(
        self,
        texts: Iterable[str],
        me: Address,
        more: Iterable[Address],
        on_found: Callable[[tuple[Address, ...]], None],
        is_done: Callable[[], bool] = lambda: False,
    ) -> None:
        self._texts = list(texts)
        self._me = me
        self._on_found = on_found
        self._found: dict[Address, None] = dict.fromkeys(more)
        self._is_done = is_done
        parsed = [(text, *_parse(text)) for text in self._texts]
        self._names = [(text, host, port) for text, host, port in parsed if not _is_ip(host)]
        self._led_to: dict[str, set[Address]] = {}
        """Where each name led when it was looked up last."""
        for _, host, port in parsed:
            if _is_ip(host):
                self._found.setdefault(Address.of(host, port))
        self._tasks: list[asyncio.Task[None]] = []
        self._untried = {text for text, _, _ in self._names}
        self._all_tried = asyncio.Event()
        self._is_started = False

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Those known by address so far, this node itself not among them."""
        return tuple(address for address in self._found if address != self._me)

    @property
    def is_empty(self) -> bool:
        """Whether there is nobody to ask, now or later."""
        return not self.addresses and not self._unknown

    @property
    def texts(self) -> list[str]:
        """As they were given, and after them those remembered from another run."""
        extra = [str(address) for address in self.addresses]
        return self._texts + [text for text in extra if text not in self._texts]

    async def look_up(self) -> None:
        """Find what can be found now, and go on in the background as long as there are names."""
        for name in self._names:
            following = self._follow(*name)
            self._tasks.append(asyncio.create_task(following, name=f"snowcast finds {name[0]}"))
        if self._tasks:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEAD_START_S):
                    await self._all_tried.wait()
        self._is_started = True
        if self._unknown:
            names = ", ".join(self._unknown)
            log.warning("cannot find the address of %s so far; trying for ever", names)

    def replace(self, dialled: Address, real: Address) -> bool:
        """A node found at one address goes by another. False if that was no seed."""
        if dialled not in self._found:
            return False
        del self._found[dialled]
        if real != self._me:
            log.info("the seed %s goes by %s", dialled, real)
        self._found.setdefault(real)
        self._on_found(self.addresses)
        return True

    async def close(self) -> None:
        """Look for nothing any more."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def _unknown(self) -> list[str]:
        """Names that have led nowhere so far."""
        return [text for text, _, _ in self._names if text not in self._led_to]

    async def _follow(self, text: str, host: str, port: int) -> None:
        """Look one name up now and again; tell where it leads, if that is elsewhere than before."""
        while True:
            is_new = await self._try(text, host, port)
            self._untried.discard(text)
            if not self._untried:
                self._all_tried.set()
            if self._is_started:
                if self._is_done():
                    return
                if is_new:
                    self._on_found(self.addresses)
            await asyncio.sleep(RETRY_S)

    async def _try(self, text: str, host: str, port: int) -> bool:
        """Look a name up; whether it leads elsewhere than before."""
        try:
            hosts = await look_up_host(host)
        except OSError:
            return False  # what was known of it is better than nothing
        leads_to = {Address.of(one, port) for one in hosts}
        before = self._led_to.get(text)
        if leads_to == before:
            return False
        self._led_to[text] = leads_to
        for gone in (before or set()) - leads_to:
            self._found.pop(gone, None)
        self._found |= dict.fromkeys(sorted(leads_to - (before or set())))
        return True


async def look_up_host(host: str) -> list[str]:
    """Where a name leads, found by a thread of its own that no end of a program waits for."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def say(hosts: list[str], error: OSError | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(hosts)
        else:
            answer.set_exception(error)

    def work() -> None:
        hosts: list[str] = []
        failure = None
        try:
            infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            hosts = [str(where[0]) for *_, where in infos]
        except (OSError, UnicodeError) as error:  # the second: it can be no name
            failure = OSError(str(error))
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(say, hosts, failure)

    Thread(target=work, name=f"snowcast looks up {host}", daemon=True).start()
    return await answer


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _parse(text: str) -> tuple[str, int]:
    host, port = split_host_port(text)
    if not port:
        raise UsageError(f"a seed needs a port: {text!r}")
    return host, port
