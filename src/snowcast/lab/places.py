"""Where the nodes of a lab live: each at a loopback address of its own, all at one port.

Linux answers on the whole of 127.0.0.0/8 without any set-up. Addresses grow with the numbers of
the nodes, as in the simulator, so a scenario's stragglers stand at the same places of the ring.
"""

from __future__ import annotations

import errno
import socket
from random import Random

from snowcast.core.address import Address
from snowcast.core.errors import UsageError

NODES_MAX = 60_000
FIRST_HOST = 257  # 127.0.1.1
PORTS = range(20_000, 32_000)  # below those that the system hands out to outgoing connections
TRIES = 50


def address_of(index: int, port: int) -> Address:
    """The address of the node with this number: 127.0.1.1 for 0, and so on."""
    if not 0 <= index < NODES_MAX:
        raise UsageError(f"a lab has at most {NODES_MAX} nodes")
    host = index + FIRST_HOST
    return Address.of(f"127.{host >> 16}.{host >> 8 & 0xFF}.{host & 0xFF}", port)


def index_of(address: Address) -> int:
    """The number of the node at this address."""
    _, high, middle, low = (int(part) for part in address.host.split("."))
    return (high << 16 | middle << 8 | low) - FIRST_HOST


def free_port(random: Random) -> int:
    """A port that nothing on this machine uses, be it TCP or UDP, at whatever address."""
    for port in random.sample(PORTS, TRIES):
        if _is_free(port):
            return port
    raise UsageError(f"no free port among {TRIES} tried from {PORTS.start} to {PORTS.stop}")


def _is_free(port: int) -> bool:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                return False
    return True
