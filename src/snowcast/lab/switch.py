"""The process behind a hub: takes packets from the devices, and gives them to others when due.

Run by `hub` and by nobody else: it is told what to do by lines on its standard input, answers each
with a line, and ends when there is no more input, as when its owner dies.

Rules of this file:
- Nothing is decided here; `rules` decides.
- A packet that is for nobody here (multicast, IPv6) is counted and dropped.
"""

from __future__ import annotations

import os
import select
import sys
import time
from heapq import heappop, heappush
from socket import inet_aton

import msgspec

from snowcast.lab.namespaces import host_of
from snowcast.lab.rules import Judge, Rules

PACKET_BYTES_MAX = 65_536
PACKETS_PER_TURN = 64  # from one device, before another has its turn


class Setup(msgspec.Struct):
    """The first line: the devices, in the order of the nodes, and what to begin with."""

    devices: list[int]
    rules: Rules
    seed: int


class Counts(msgspec.Struct):
    """The answer to each line: what has become of packets so far."""

    carried: int = 0
    dropped: int = 0
    """By the rules."""
    astray: int = 0
    """For nobody here, or for somebody who could not take them."""
    waiting: int = 0


class Switch:
    """Carries packets between devices."""

    def __init__(self, setup: Setup) -> None:
        self._devices = setup.devices
        self._node_of = {device: node for node, device in enumerate(setup.devices)}
        self._receivers = {inet_aton(host_of(node)): node for node in range(len(setup.devices))}
        self._judge = Judge(setup.rules, setup.seed)
        self._due: list[tuple[int, int, int, int, bytes]] = []
        self._number = 0
        self._counts = Counts()
        self._poll = select.epoll()
        for device in setup.devices:
            self._poll.register(device, select.EPOLLIN)

    def run(self, orders: int, answers: int) -> None:
        """Carry packets and take orders, until there are no more of these."""
        self._poll.register(orders, select.EPOLLIN)
        text = b""
        self._answer(answers)
        while True:
            for descriptor, _ in self._poll.poll(self._patience_s()):
                if descriptor != orders:
                    self._take_in(descriptor)
                    continue
                data = os.read(orders, PACKET_BYTES_MAX)
                if not data:
                    return
                *lines, text = (text + data).split(b"\n")
                for line in lines:
                    if line:
                        self._judge.change(msgspec.json.decode(line, type=Rules))
                    self._answer(answers)
            self._give_out()

    def _patience_s(self) -> float:
        if not self._due:
            return -1
        return max(0.0, (self._due[0][0] - _now_us()) / 1_000_000)

    def _take_in(self, device: int) -> None:
        sender = self._node_of[device]
        for _ in range(PACKETS_PER_TURN):
            try:
                packet = os.read(device, PACKET_BYTES_MAX)
            except BlockingIOError:
                return
            receiver = self._receivers.get(packet[16:20]) if packet[0] >> 4 == 4 else None
            if receiver is None:
                self._counts.astray += 1
                continue
            at_us = self._judge.arrival_us(sender, receiver, len(packet), _now_us())
            if at_us is None:
                self._counts.dropped += 1
                continue
            self._number += 1
            heappush(self._due, (at_us, self._number, sender, receiver, packet))

    def _give_out(self) -> None:
        now_us = _now_us()
        while self._due and self._due[0][0] <= now_us:
            _, _, sender, receiver, packet = heappop(self._due)
            if self._judge.is_cut(sender, receiver):
                self._counts.dropped += 1
                continue
            try:
                os.write(self._devices[receiver], packet)
            except OSError:  # the device has been switched off, or the packet is none
                self._counts.astray += 1
            else:
                self._counts.carried += 1

    def _answer(self, answers: int) -> None:
        self._counts.waiting = len(self._due)
        os.write(answers, msgspec.json.encode(self._counts) + b"\n")


def _now_us() -> int:
    return time.monotonic_ns() // 1_000


def main() -> None:
    """Read the setup, then run."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            return
        line += byte
    switch = Switch(msgspec.json.decode(line, type=Setup))
    switch.run(sys.stdin.fileno(), sys.stdout.fileno())


if __name__ == "__main__":
    main()
