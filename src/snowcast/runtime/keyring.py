"""The keys that datagrams are sealed with: one to seal, all to open, changed while running.

    key       4 bytes: which key, by a hash of it
    nonce     12 bytes: 8 drawn at random by each process, 4 counted up
    content   AES-GCM over the time of sealing (8 bytes, microseconds) and what is carried

To rotate: install the new key everywhere, use it everywhere, remove the old one everywhere. Between
any two of these steps all nodes understand each other.

Needs `cryptography`, which `pip install snowcast[agent]` brings.
"""

from __future__ import annotations

import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from snowcast.core.errors import UsageError

KEY_BYTES = (16, 24, 32)
ID_BYTES, SESSION_BYTES, COUNT_BYTES, STAMP_BYTES = 4, 8, 4, 8
_NONCE_BYTES = SESSION_BYTES + COUNT_BYTES
_COUNT_MAX = (1 << 8 * COUNT_BYTES) - 1


class Refused(Exception):
    """A datagram that is not taken in; `kind` is counted, the text is for the log."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class Sealed(NamedTuple):
    """What was in a sealed datagram, and what tells it from a copy of it."""

    content: bytes
    session: bytes
    number: int
    stamp_us: int


class KeyRing:
    """The keys of one node. The first is the primary, which seals; all open."""

    def __init__(self, keys: Iterable[bytes | str]) -> None:
        self._ciphers: dict[bytes, Any] = {}
        self._keys: dict[bytes, bytes] = {}
        self._primary = b""
        self._session = secrets.token_bytes(SESSION_BYTES)
        self._count = 0
        for key in keys:
            self.install(key)
        if not self._keys:
            raise UsageError("a key ring needs a key: snowcast.generate_key() makes one")
        self._primary = next(iter(self._keys))

    @property
    def ids(self) -> list[str]:
        """What the keys are called, the primary first. A key's name does not give it away."""
        others = [id.hex() for id in self._keys if id != self._primary]
        return [self._primary.hex(), *others]

    def texts(self) -> list[str]:
        """The keys themselves, the primary first, for whoever keeps them."""
        order = [self._primary, *[id for id in self._keys if id != self._primary]]
        return [b64encode(self._keys[id]).decode() for id in order]

    def install(self, key: bytes | str) -> str:
        """Accept this key from now on; return what it is called."""
        raw = as_key(key)
        id = blake2b(raw, digest_size=ID_BYTES, person=b"snowcast-key").digest()
        self._keys[id] = raw
        self._ciphers[id] = _cipher(raw)
        return id.hex()

    def use(self, id: str) -> None:
        """Seal with this key from now on."""
        self._primary = self._find(id)

    def remove(self, id: str) -> None:
        """Accept this key no more."""
        found = self._find(id)
        if found == self._primary:
            raise UsageError(f"key {id} seals this node's datagrams: use another one first")
        del self._keys[found], self._ciphers[found]

    def seal(self, content: bytes, head: bytes) -> bytes:
        """Seal `content`; `head` is known to the receiver, who must open it with the same."""
        if self._count >= _COUNT_MAX:
            self._session, self._count = secrets.token_bytes(SESSION_BYTES), 0
        self._count += 1
        nonce = self._session + self._count.to_bytes(COUNT_BYTES, "big")
        stamp = (time.time_ns() // 1_000).to_bytes(STAMP_BYTES, "big")
        sealed: bytes = self._ciphers[self._primary].encrypt(nonce, stamp + content, head)
        return self._primary + nonce + sealed

    def open(self, data: bytes, head: bytes) -> Sealed:
        """What `seal` was given; Refused if no key here has sealed it."""
        id, nonce = data[:ID_BYTES], data[ID_BYTES : ID_BYTES + _NONCE_BYTES]
        cipher = self._ciphers.get(id)
        if cipher is None or len(nonce) < _NONCE_BYTES:
            raise Refused("key", "it is sealed with a key that is not on this node's ring")
        try:
            opened: bytes = cipher.decrypt(nonce, data[ID_BYTES + _NONCE_BYTES :], head)
        except Exception as error:  # InvalidTag, or too short to be anything
            raise Refused(
                "key", "it was changed on its way, or made without the key or for another node"
            ) from error
        number = int.from_bytes(nonce[SESSION_BYTES:], "big")
        stamp_us = int.from_bytes(opened[:STAMP_BYTES], "big")
        return Sealed(opened[STAMP_BYTES:], nonce[:SESSION_BYTES], number, stamp_us)

    def _find(self, id: str) -> bytes:
        for known in self._keys:
            if known.hex() == id:
                return known
        raise UsageError(f"no key {id} on the ring; there are: {', '.join(self.ids)}")


def generate_key() -> str:
    """A new key, as the text that goes into configurations."""
    return b64encode(secrets.token_bytes(max(KEY_BYTES))).decode()


def as_key(key: bytes | str) -> bytes:
    """A key's bytes; UsageError if they are none."""
    try:
        raw = b64decode(key, validate=True) if isinstance(key, str) else key
    except ValueError:
        raise UsageError("a key is 32 bytes in base64, as snowcast.generate_key() makes") from None
    if len(raw) not in KEY_BYTES:
        raise UsageError(f"a key has 16, 24 or 32 bytes, not {len(raw)}")
    return raw


def _cipher(raw: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise UsageError("keys need cryptography: pip install 'snowcast[agent]'") from None
    return AESGCM(raw)
