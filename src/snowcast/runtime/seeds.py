"""Seeds: where to ask first. Names are looked up, for ever if need be.

The core knows seeds by address. A name may stand for many, may not exist yet, and a node may go by
another address than the one it was found at; each time more is known the core is told.
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
    ) -> None:
        self._texts = list(texts)
        self._me = me
        self._on_found = on_found
        self._found: dict[Address, None] = dict.fromkeys(more)
        self._unknown = [(text, *_parse(text)) for text in self._texts]
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
        """Find what can be found now, and go on in the background with what cannot."""
        await self._try()
        if self._unknown:
            names = ", ".join(text for text, _, _ in self._unknown)
            log.warning("cannot find the address of %s; trying again for ever", names)
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

    async def _keep_trying(self) -> None:
        while self._unknown:
            await asyncio.sleep(RETRY_S)
            before = len(self._unknown)
            await self._try()
            if len(self._unknown) < before:
                self._on_found(self.addresses)

    async def _try(self) -> None:
        loop = asyncio.get_running_loop()
        still: list[tuple[str, str, int]] = []
        for text, host, port in self._unknown:
            if _is_ip(host):
                self._found.setdefault(Address.of(host, port))
                continue
            try:
                infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except OSError:
                still.append((text, host, port))
                continue
            for *_, where in infos:
                self._found.setdefault(Address.of(str(where[0]), port))
        self._unknown = still


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
