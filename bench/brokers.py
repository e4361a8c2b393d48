"""The time from `broadcast` to the last of 500 listeners, beside NATS and ZeroMQ PUB/SUB.

All are on this machine: a process that speaks, and a few with all listeners in them, each a node or
a connection of its own. Nobody is faster for having no broker on a loopback where bytes are free:
what is compared is how soon the last one has the message, and what that costs the processor. The
brokers keep no membership, evict nobody and give no receipts; their one server is a single point of
failure.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from statistics import median, quantiles

from bench.audience import FANOUT, NATS_SERVER, NUMBER_BYTES, Audience
from bench.harness import Row, not_measured

LISTENERS = 500
PROCESSES = 2
PAYLOAD_BYTES = 120
ROUNDS = 3
MESSAGES = 40
WARM_UP = 10
PAUSE_S = 0.02
LIMIT = 1.0


def rows() -> Iterator[Row]:
    """Every row of this benchmark."""
    what = f"to the last of {LISTENERS}, {PAYLOAD_BYTES} bytes, fanout {FANOUT}"
    missing = {kind: why for kind in ("nats", "zmq") if (why := _why_not(kind))}
    took: dict[str, list[float]] = {}
    cpu: dict[str, list[float]] = {}
    kinds = [kind for kind in ("snow", "nats", "zmq") if kind not in missing]
    for number in range(ROUNDS):
        for kind in kinds[:: -1 if number % 2 else 1]:
            measure(kind, took, cpu)
    for kind, name, limit in (("nats", "NATS", LIMIT), ("zmq", "ZeroMQ", None)):
        if kind in missing:
            yield not_measured(f"{what}, beside {name}", missing[kind])
            continue
        for text, of in (("median", median), ("95 of 100", _p95)):
            ours, theirs = of(took["snow"]) * 1e3, of(took[kind]) * 1e3
            limited = limit if text == "median" else None
            yield Row(f"{what}: {text}", ours, limited, "ms", rival=name, rival_measured=theirs)
        ours, theirs = median(cpu["snow"]), median(cpu[kind])
        without = " (its server left out)" if kind == "nats" else ""
        yield Row(
            f"processor, a delivery{without}", ours, None, "us", rival=name, rival_measured=theirs
        )


def measure(
    kind: str,
    took: dict[str, list[float]],
    cpu: dict[str, list[float]],
    listeners: int = LISTENERS,
    messages: int = MESSAGES,
) -> None:
    """One round of one kind: how long each message took, and the processor's time a delivery."""
    with Audience(kind, listeners, PROCESSES) as audience:
        for number in range(WARM_UP):
            try:
                audience.say(_payload(number), patience_s=2.0)
            except TimeoutError:  # a subscription was not there yet
                continue
        used = audience.cpu_seconds()
        for number in range(WARM_UP, WARM_UP + messages):
            time.sleep(PAUSE_S)
            took.setdefault(kind, []).append(audience.say(_payload(number)))
        used = audience.cpu_seconds() - used
    cpu.setdefault(kind, []).append(used / messages / listeners * 1e6)


def _why_not(kind: str) -> str:
    """Why a kind cannot be measured; nothing if it can."""
    if kind == "nats" and NATS_SERVER is None:
        return "nats-server is not installed (Debian has it under that name)"
    if find_spec(kind) is None:
        return f"the Python package {kind} is not installed"
    return ""


def _payload(number: int) -> bytes:
    head = number.to_bytes(NUMBER_BYTES, "big")
    return head + os.urandom(PAYLOAD_BYTES - NUMBER_BYTES)


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]
