"""Seeds: where to ask first. Names are looked up, for ever if need be.

The core knows seeds by address. A name may stand for many, may not exist yet, may lead elsewhere
tomorrow, and a node may go by another address than the one it was found at; each time something
else is known the core is told, until it needs no seeds any more.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from ipaddress import ip_address

from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime.ports import split_host_port

RETRY_S = 5.0

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
        self._task: asyncio.Task[None] | None = None

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
        await self._try()
        if self._unknown:
            names = ", ".join(self._unknown)
            log.warning("cannot find the address of %s; trying again for ever", names)
        if self._names:
            self._task = asyncio.create_task(self._keep_trying(), name="snowcast finds seeds")

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
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def _unknown(self) -> list[str]:
        """Names that have led nowhere so far."""
        return [text for text, _, _ in self._names if text not in self._led_to]

    async def _keep_trying(self) -> None:
        while True:
            await asyncio.sleep(RETRY_S)
            if self._is_done():
                return
            if await self._try():
                self._on_found(self.addresses)

    async def _try(self) -> bool:
        """Look all names up; whether one leads elsewhere than before."""
        loop = asyncio.get_running_loop()
        is_new = False
        for text, host, port in self._names:
            try:
                infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except OSError:
                continue  # what was known of it is better than nothing
            leads_to = {Address.of(str(where[0]), port) for *_, where in infos}
            before = self._led_to.get(text)
            if leads_to == before:
                continue
            is_new = True
            self._led_to[text] = leads_to
            for gone in (before or set()) - leads_to:
                self._found.pop(gone, None)
            self._found |= dict.fromkeys(sorted(leads_to - (before or set())))
        return is_new


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
