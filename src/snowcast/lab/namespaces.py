"""Network namespaces: for each node a network stack of its own, with one device and one address.

    with Namespaces(12) as namespaces, Hub(namespaces) as hub:
        processes = [namespaces.popen(node, ["my-agent"]) for node in range(12)]

Rules of this file:
- A namespace has no name. It is held by a descriptor, its device by another, and what runs in it:
  when those are gone the kernel removes it, however this process ends. So there is nothing to sweep
  up, and two labs on one machine cannot meet.
- Only the calling thread ever enters a namespace, and never across an `await`.

Linux, and as root. What goes through the devices is carried by `hub`; without it nobody hears
anybody.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from snowcast.core.errors import SnowcastError, UsageError

NODES_MAX = 4_000
MTU_BYTES = 1_500
QUEUE_PACKETS = 10_000  # what the device keeps while the hub is busy; the kernel drops the rest
DEVICE = b"snow0"

_OWN = "/proc/thread-self/ns/net"
_TUN = "/dev/net/tun"
_CLONE_NEWNET = 0x40000000
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_IFF_UP = 0x1
_TUNSETIFF, _TUNSETPERSIST = 0x400454CA, 0x400454CB
_SIOCSIFFLAGS, _SIOCSIFADDR, _SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
_SIOCSIFMTU, _SIOCSIFTXQLEN = 0x8922, 0x8943

_libc = ctypes.CDLL(None, use_errno=True)


class NotPermitted(SnowcastError):
    """This machine, or this user, may not have network namespaces."""


def host_of(node: int) -> str:
    """The address of the node with this number: 10.77.0.1 for the first."""
    return f"10.77.{(node + 1) >> 8}.{(node + 1) & 0xFF}"


def why_not() -> str | None:
    """What keeps namespaces from being made here, as a sentence; None if nothing does."""
    try:
        with Namespaces(1):
            return None
    except NotPermitted as error:
        return str(error)


def enter(namespace: int) -> None:
    """Go, with this thread, into the namespace that a descriptor holds, for good."""
    _checked(_libc.setns(namespace, _CLONE_NEWNET))


class Namespaces:
    """So many namespaces, for nodes 0, 1, ..., each with its device; closed with the block."""

    def __init__(self, count: int, mtu_bytes: int = MTU_BYTES) -> None:
        if not 0 < count <= NODES_MAX:
            raise UsageError(f"from 1 to {NODES_MAX} namespaces, not {count}")
        self.devices: list[int] = []
        """The other end of each node's device: what it sends is read here, and what is written
        here it receives, an IP packet at a time."""
        self._namespaces: list[int] = []
        try:
            for node in range(count):
                self._make(node, mtu_bytes)
        except OSError as error:
            self.close()
            raise _not_permitted(error) from None
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self.devices)

    def descriptor(self, node: int) -> int:
        """What holds a namespace; a process that is given it can `enter`."""
        return self._namespaces[node]

    @contextmanager
    def inside(self, node: int) -> Iterator[None]:
        """Have this thread make sockets and processes in a namespace. Do not `await` within."""
        with _return():
            enter(self._namespaces[node])
            yield

    def popen(self, node: int, command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
        """Start a command in a namespace; `options` are those of `subprocess.Popen`."""
        with self.inside(node):
            return subprocess.Popen(command, **options)

    def close(self) -> None:
        """Let go of everything; a namespace goes when the last process in it has ended."""
        for descriptor in (*self.devices, *self._namespaces):
            os.close(descriptor)
        self.devices.clear()
        self._namespaces.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _make(self, node: int, mtu_bytes: int) -> None:
        with _return(), ExitStack() as undo:
            _checked(_libc.unshare(_CLONE_NEWNET))
            namespace = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
            undo.callback(os.close, namespace)
            device = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            undo.callback(os.close, device)
            request = struct.pack("16sH22x", DEVICE, _IFF_TUN | _IFF_NO_PI)
            fcntl.ioctl(device, _TUNSETIFF, request)
            # It goes with its namespace, by the hundred, rather than one by one as we close them.
            fcntl.ioctl(device, _TUNSETPERSIST, 1)
            _configure(host_of(node), mtu_bytes)
            undo.pop_all()
        self._namespaces.append(namespace)
        self.devices.append(device)


def _configure(host: str, mtu_bytes: int) -> None:
    """Give the devices of the namespace we are in their settings, and switch them on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:

        def set_address(request: int, address: str) -> None:
            where = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, request, struct.pack("16s16s8x", DEVICE, where))

        def set_number(device: bytes, request: int, number: int) -> None:
            fcntl.ioctl(control, request, struct.pack("16si20x", device, number))

        set_address(_SIOCSIFADDR, host)
        set_address(_SIOCSIFNETMASK, "255.255.0.0")
        set_number(DEVICE, _SIOCSIFMTU, mtu_bytes)
        set_number(DEVICE, _SIOCSIFTXQLEN, QUEUE_PACKETS)
        for device in (b"lo", DEVICE):
            set_number(device, _SIOCSIFFLAGS, _IFF_UP)


@contextmanager
def _return() -> Iterator[None]:
    """Come back to the namespace that this thread is in now."""
    here = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield
    finally:
        enter(here)
        os.close(here)


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _not_permitted(error: OSError) -> NotPermitted:
    if os.geteuid() != 0:
        why = "it needs root"
    elif not Path(_TUN).exists():
        why = f"the kernel offers no {_TUN}"
    else:
        why = str(error)
    return NotPermitted(f"no network namespaces here: {why}")
