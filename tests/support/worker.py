"""Some nodes in a process of their own. Run by `fleet`; told what to do by lines, tells by lines.

Each order is an object with `do` and a number, `id`, which its answer has too. What nodes hear is
told as it comes. The process leaves on SIGTERM, and ends at once when there are no more orders.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

import snowcast
from snowcast.core.config import Config
from snowcast.runtime.cluster import Cluster
from snowcast.runtime.options import Options

TEXT_MAX = 40


class Worker:
    """The nodes of this process, and what becomes of them."""

    def __init__(self) -> None:
        self.nodes: dict[str, Cluster] = {}
        self.heard: dict[str, int] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    def tell(self, **fact: Any) -> None:
        """Write a line."""
        sys.stdout.buffer.write(msgspec.json.encode(fact) + b"\n")
        sys.stdout.buffer.flush()

    async def obey(self, order: dict[str, Any]) -> None:
        """Do as told, and answer."""
        id, do = order.pop("id"), order.pop("do")
        try:
            answer = await getattr(self, f"do_{do}")(**order)
        except snowcast.SnowcastError as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        self.tell(id=id, answer=answer)

    async def do_join(
        self,
        name: str,
        config: dict[str, Any] | None = None,
        limits: dict[str, Any] | None = None,
        tls: list[str] | None = None,
        reports: bool = True,
        **options: Any,
    ) -> str:
        """Begin a node; its address."""
        made = Options(
            name=name,
            config=msgspec.convert(config or {}, Config),
            limits=msgspec.convert(limits or {}, snowcast.Limits),
            tls=snowcast.Tls(*tls) if tls else None,
            **options,
        )
        node = Cluster(made)
        await node.start()
        self.nodes[name], self.heard[name] = node, 0
        self.spawn(self.read_messages(name, node, reports))
        self.spawn(self.read_events(name, node))
        return str(node.address)

    async def do_broadcast(
        self, node: str, text: str, size: int = 0, mode: str = "standard", reliable: bool = False
    ) -> Any:
        """Send a message; its receipt, if it has one."""
        payload = text.encode().ljust(size, b" ")
        receipt = await self.nodes[node].broadcast(payload, mode=mode, reliable=reliable)
        return msgspec.to_builtins(receipt, enc_hook=str)

    async def do_leave(self, node: str, linger: float = 0.1) -> None:
        """Leave with one node; the others of the process stay."""
        await self.nodes.pop(node).leave(linger)

    async def do_status(self) -> dict[str, Any]:
        """How the nodes of this process see things."""
        return {
            name: {
                "joined": node.is_joined,
                "digest": node.digest,
                "members": sorted(member.label for member in node.members),
                "health": node.health,
            }
            for name, node in self.nodes.items()
        }

    async def do_stats(self) -> dict[str, dict[str, int]]:
        """Everything counted, for each node."""
        return {
            name: {**node.stats(), "heard": self.heard[name]} for name, node in self.nodes.items()
        }

    async def do_resources(self) -> dict[str, int]:
        """What this process holds."""
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return {
            "rss_bytes": pages * os.sysconf("SC_PAGE_SIZE"),
            "descriptors": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
            "tasks": len(asyncio.all_tasks()),
            "cpu_ms": round(1000 * time.process_time()),
        }

    async def read_messages(self, name: str, node: Cluster, reports: bool) -> None:
        """Tell what a node hears, or only count it."""
        async for message in node.messages():
            if isinstance(message, snowcast.Lagged):
                self.tell(node=name, lagged=message.missed)
                continue
            self.heard[name] += 1
            if reports:
                text = message.payload[:TEXT_MAX].decode("ascii", "replace").rstrip()
                self.tell(node=name, text=text, size=len(message.payload), sender=message.sender)

    async def read_events(self, name: str, node: Cluster) -> None:
        """Tell what becomes of members."""
        async for event in node.events():
            member = getattr(event, "member", None)
            label = None if member is None else member.label
            self.tell(node=name, event=type(event).__name__, member=label, at=time.time())

    def spawn(self, work: Any) -> None:
        """Have something done beside."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def leave(self) -> None:
        """Leave with all nodes."""
        await asyncio.gather(*[node.leave() for node in self.nodes.values()])
        self.tell(ended=True)

    async def run(self) -> None:
        """Take orders until told to leave, or until there are no more."""
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        leaving = asyncio.create_task(stop.wait())
        while True:
            reading = asyncio.create_task(reader.readline())
            await asyncio.wait([reading, leaving], return_when=asyncio.FIRST_COMPLETED)
            if leaving.done():
                await self.leave()
                os._exit(0)
            line = reading.result()
            if not line:
                os._exit(0)
            self.spawn(self.obey(msgspec.json.decode(line)))


if __name__ == "__main__":
    if sys.argv[1:] == ["uvloop"]:
        from snowcast.runtime.loop import install

        install()
    asyncio.run(Worker().run())
