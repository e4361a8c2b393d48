"""Certificates that are read anew while the agent runs: who connects from then on sees the new one.

Rules of this file:
- Files that are no good change nothing: the old certificate stays in use.
- What stays open stays as it is. Authorities are only ever added; a restart drops old ones.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from snowcast.core.errors import UsageError
from snowcast.runtime.tls import Tls


class Renewable(Protocol):
    """Something that reads files which may have changed."""

    @property
    def files(self) -> tuple[str | Path, ...]:
        """Those it reads, that with the certificate first."""

    def renew(self) -> None:
        """Read them; UsageError if they are no good."""


@dataclass(frozen=True)
class StreamTls(Tls):
    """The certificates of the streams between members."""

    used: list[ssl.SSLContext] = field(default_factory=list, compare=False)

    @property
    def files(self) -> tuple[str | Path, ...]:
        """The certificate, its key, and whom all trust."""
        return self.certificate, self.key, self.authority

    def contexts(self) -> tuple[ssl.SSLContext, ssl.SSLContext]:
        """For the accepting and for the dialling side, both to be renewed with this."""
        made = super().contexts()
        self.used.extend(made)
        return made

    def renew(self) -> None:
        """Read the files anew."""
        super().contexts()
        for context in self.used:
            context.load_cert_chain(self.certificate, self.key)
            context.load_verify_locations(self.authority)


class ControlTls:
    """The certificate of the control API's port."""

    def __init__(self, certificate: str, private_key: str) -> None:
        self._files = certificate, private_key or None
        self.context = self._made()

    @property
    def files(self) -> tuple[str | Path, ...]:
        """The certificate, and its key if that is another file."""
        return tuple(file for file in self._files if file is not None)

    def renew(self) -> None:
        """Read the files anew."""
        self._made()
        self.context.load_cert_chain(*self._files)

    def _made(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(*self._files)
        except (OSError, ssl.SSLError) as error:
            message = f"cannot use control.certificate {self._files[0]}: {error}"
            raise UsageError(message) from None
        return context
