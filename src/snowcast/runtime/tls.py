"""Mutual TLS for streams: each side shows a certificate, and checks the other's.

By default a certificate must name, as an IP address among its alternative names, the host that the
node is known by: so that one node's certificate does not let it speak as another.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from snowcast.core.errors import UsageError


@dataclass(frozen=True)
class Tls:
    """Where the certificates are. All agents of a cluster trust the same authority."""

    certificate: str | Path
    key: str | Path
    authority: str | Path
    verify_addresses: bool = True
    """Turn this off where certificates cannot name addresses; who holds one is then trusted to
    tell its address truly."""

    def contexts(self) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        """For the accepting and for the dialling side; UsageError if a file is no good."""
        accepting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        dialling = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for context in (accepting, dialling):
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            self._load(context)
        accepting.verify_mode = ssl.CERT_REQUIRED
        dialling.check_hostname = self.verify_addresses
        return accepting, dialling

    def _load(self, context: ssl.SSLContext) -> None:
        try:
            context.load_cert_chain(self.certificate, self.key)
            context.load_verify_locations(self.authority)
        except (OSError, ssl.SSLError) as error:
            files = f"{self.certificate}, {self.key} and {self.authority}"
            raise UsageError(f"cannot use {files} for TLS: {error}") from None
