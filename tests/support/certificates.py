"""Certificates for tests, made on the spot: an authority and what it signs."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from snowcast.runtime.tls import Tls

_BEGIN = datetime.datetime(2020, 1, 1)
_END = datetime.datetime(2100, 1, 1)


class Authority:
    """Signs certificates, and writes them as files."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        basic = x509.BasicConstraints(ca=True, path_length=None)
        builder = _builder(self._name, self._name, self._key)
        self._path = folder / f"{name}.crt"
        self._identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = builder.add_extension(basic, True).add_extension(_signs_certificates(), True)
        certificate = builder.add_extension(self._identifier, False).sign(
            self._key, hashes.SHA256()
        )
        self._path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def tls(self, *hosts: str, verify_addresses: bool = True, end: datetime.datetime = _END) -> Tls:
        """What a node at one of these hosts uses."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name("node"), self._name, key, end)
        names = [x509.IPAddress(ipaddress.ip_address(host)) for host in hosts]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        signer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._identifier)
        certificate = builder.add_extension(signer, False).sign(self._key, hashes.SHA256())
        stem = f"{self._path.stem}-{'-'.join(hosts).replace(':', '_')}"
        paths = self._folder / f"{stem}.crt", self._folder / f"{stem}.private"
        paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        paths[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return Tls(*paths, self._path, verify_addresses)


def _signs_certificates() -> x509.KeyUsage:
    """What the strict checks of newer Pythons want an authority to say of itself."""
    uses = dict.fromkeys(
        ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
         "key_agreement", "encipher_only", "decipher_only", "crl_sign"), False,
    )  # fmt: skip
    return x509.KeyUsage(key_cert_sign=True, **uses)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(subject: x509.Name, issuer: x509.Name, key: Any, end: datetime.datetime = _END) -> Any:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGIN)
        .not_valid_after(end)
    )
