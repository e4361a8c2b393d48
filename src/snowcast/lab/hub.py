"""The network between namespaces: one process of its own, whose rules change while it runs.

    with Namespaces(12) as namespaces, Hub(namespaces, seed=7) as hub:
        hub.delay(25_000)
        hub.partition(range(6), range(6, 12))
        hub.heal()

Each call returns when it holds for every packet from then on, those on their way included.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from snowcast.core.errors import SnowcastError
from snowcast.lab.namespaces import Namespaces
from snowcast.lab.rules import Rules
from snowcast.lab.switch import Counts, Setup


class HubError(SnowcastError):
    """The process that carries the packets is gone."""


class Hub:
    """Carries what the nodes of some namespaces send to each other. Closed with the block."""

    def __init__(self, namespaces: Namespaces, rules: Rules | None = None, seed: int = 0) -> None:
        self.rules = rules or Rules()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "snowcast.lab.switch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=namespaces.devices,
            start_new_session=True,  # Ctrl-C is for its owner, whose end is its end
        )
        self._order(msgspec.json.encode(Setup(namespaces.devices, self.rules, seed)))

    def set(self, rules: Rules) -> None:
        """Go by these rules."""
        self._order(msgspec.json.encode(rules))
        self.rules = rules

    def delay(self, delay_us: int, jitter_us: int = 0) -> None:
        """Every packet takes so long, and at random up to `jitter_us` longer."""
        self._change(delay_us=delay_us, jitter_us=jitter_us)

    def loss(self, share: float) -> None:
        """This share of packets is lost."""
        self._change(loss=share)

    def rate(self, rate_bytes: int) -> None:
        """No node sends more bytes a second than this; 0: no limit."""
        self._change(rate_bytes=rate_bytes)

    def partition(self, *groups: Iterable[int]) -> None:
        """Nothing gets from one group to another. Who is in none of them is in one with the rest.
        Without groups: no partition."""
        self._change(groups=tuple(tuple(group) for group in groups))

    def silence(self, *nodes: int) -> None:
        """Nothing gets from or to these nodes, and no others than these are silent."""
        self._change(silent=nodes)

    def one_way(self, *pairs: tuple[int, int]) -> None:
        """Nothing gets from the first of a pair to the second, but back it does."""
        self._change(one_way=pairs)

    def heal(self) -> None:
        """Everybody reaches everybody again; loss, delay and rate stay as they are."""
        self._change(groups=(), silent=(), one_way=())

    def counts(self) -> Counts:
        """What has become of packets so far."""
        return self._order(b"")

    def close(self) -> None:
        """Carry nothing more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _change(self, **settings: object) -> None:
        self.set(msgspec.structs.replace(self.rules, **settings))

    def _order(self, line: bytes) -> Counts:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise HubError(f"the hub has ended, with status {self._process.wait()}") from None
        answer = self._process.stdout.readline()
        if not answer:
            raise HubError(f"the hub has ended, with status {self._process.wait()}")
        return msgspec.json.decode(answer, type=Counts)
