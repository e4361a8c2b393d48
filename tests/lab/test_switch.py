"""The process behind a hub, with pairs of sockets in place of devices: no rights are needed."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from snowcast.lab.namespaces import host_of
from snowcast.lab.rules import Rules
from snowcast.lab.switch import Counts, Setup


def packet(to: int, text: bytes) -> bytes:
    """An IPv4 packet: of its head only the version and the receiver matter here."""
    return b"\x45" + bytes(15) + socket.inet_aton(host_of(to)) + text


class Bench:
    """A switch, with the nodes' ends of its devices in the hand of the test."""

    def __init__(self, process: subprocess.Popen[bytes], ends: list[socket.socket]) -> None:
        self.process = process
        self.ends = ends

    def order(self, line: bytes = b"") -> Counts:
        """Send a line; return the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return msgspec.json.decode(self.process.stdout.readline(), type=Counts)


@contextmanager
def switch(nodes: int, rules: Rules) -> Iterator[Bench]:
    """A switch that runs, and is told to end at the end."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(nodes)]
    for device, end in pairs:
        device.setblocking(False)
        end.settimeout(60)
    devices = [device.fileno() for device, _ in pairs]
    process = subprocess.Popen(
        [sys.executable, "-m", "snowcast.lab.switch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=devices,
    )
    bench = Bench(process, [end for _, end in pairs])
    with process:
        bench.order(msgspec.json.encode(Setup(devices, rules, 1)))
        yield bench
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0
    for device, end in pairs:
        device.close()
        end.close()


def test_a_packet_goes_to_whom_it_is_for() -> None:
    with switch(3, Rules()) as bench:
        bench.ends[0].send(packet(2, b"a"))
        bench.ends[1].send(packet(0, b"b"))
        assert bench.ends[2].recv(100) == packet(2, b"a")
        assert bench.ends[0].recv(100) == packet(0, b"b")


def test_packets_that_are_due_later_are_given_out_later_and_in_order() -> None:
    with switch(2, Rules(delay_us=30_000)) as bench:
        for number in range(3):
            bench.ends[0].send(packet(1, bytes([number])))
        assert [bench.ends[1].recv(100)[-1] for _ in range(3)] == [0, 1, 2]


def test_what_is_for_nobody_here_is_counted_and_harms_nobody() -> None:
    with switch(2, Rules()) as bench:
        bench.ends[0].send(packet(77, b"nobody"))
        bench.ends[0].send(b"\x60" + bytes(60))
        bench.ends[0].send(b"\x45")
        bench.ends[0].send(packet(1, b"still here"))
        assert bench.ends[1].recv(100) == packet(1, b"still here")
        assert bench.order() == Counts(carried=1, astray=3)


def test_rules_hold_when_the_order_is_answered_also_for_what_is_on_its_way() -> None:
    with switch(2, Rules(delay_us=200_000)) as bench:
        bench.ends[0].send(packet(1, b"too late"))
        while not bench.order().waiting:
            pass
        bench.order(msgspec.json.encode(Rules(silent=(1,))))
        while bench.order().waiting:
            pass
        bench.ends[0].send(packet(1, b"no"))
        while bench.order().dropped < 2:
            pass
        bench.order(msgspec.json.encode(Rules()))
        bench.ends[0].send(packet(1, b"yes"))
        assert bench.ends[1].recv(100) == packet(1, b"yes")
        assert bench.order() == Counts(carried=1, dropped=2)


def test_it_ends_with_its_input_even_before_it_was_set_up() -> None:
    command = [sys.executable, "-m", "snowcast.lab.switch"]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, check=True).returncode == 0
