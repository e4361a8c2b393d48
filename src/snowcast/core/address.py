"""Where a node can be reached, as the bytes that order the ring.

An address is its own packed form: 16 bytes of IP (IPv4 mapped into IPv6) and 2 bytes of port, big
endian. So comparing addresses is comparing ring positions, hashing one is hashing bytes, and a view
of n members is n times 18 bytes (paper, State Initialization).
"""

from __future__ import annotations

import ipaddress
from hashlib import blake2b
from typing import Self

from snowcast.core.errors import UsageError

ADDRESS_BYTES = 18
IPV4_PREFIX = bytes(10) + b"\xff\xff"
HASH_BYTES = 8
PORT_DIGITS_MAX = 5


class Address(bytes):
    """An IP address and a port. Equal, ordered and hashed as its 18 packed bytes."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `10.0.0.1:7946` or `[fd00::1]:7946`; raise UsageError for anything else."""
        host, colon, port = text.rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        if (
            not colon
            or not port.isascii()
            or not port.isdigit()
            or len(port) > PORT_DIGITS_MAX
            or (":" in host) != bracketed
        ):
            raise UsageError(f"not an address: {text!r} (want 10.0.0.1:7946 or [fd00::1]:7946)")
        return cls.of(host[1:-1] if bracketed else host, int(port))

    @classmethod
    def of(cls, host: str, port: int) -> Self:
        """Pack an IP address in text form and a port; names are not looked up here."""
        try:
            ip = ipaddress.ip_address(host)
        except ValueError:
            raise UsageError(f"not an IP address: {host!r}") from None
        if isinstance(ip, ipaddress.IPv6Address) and ip.scope_id is not None:
            raise UsageError(f"an address with a scope has no place on a ring: {host!r}")
        if not 0 < port < 1 << 16:
            raise UsageError(f"port must be 1 to 65535, not {port}")
        packed = ip.packed if ip.version == 6 else IPV4_PREFIX + ip.packed
        return cls(packed + port.to_bytes(2, "big"))

    @property
    def is_ipv4(self) -> bool:
        """Whether the host is an IPv4 address (mapped into IPv6 inside)."""
        return self.startswith(IPV4_PREFIX)

    @property
    def host(self) -> str:
        """The IP address as text, IPv4 in dotted form."""
        if self.is_ipv4:
            return ".".join(map(str, self[12:16]))
        return str(ipaddress.IPv6Address(self[:16]))

    @property
    def port(self) -> int:
        """The port."""
        return (self[16] << 8) | self[17]

    def hashed(self) -> bytes:
        """The 8 bytes that place this address on a hashed ring."""
        return blake2b(self, digest_size=HASH_BYTES).digest()

    def __str__(self) -> str:
        return f"{self.host}:{self.port}" if self.is_ipv4 else f"[{self.host}]:{self.port}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"
