"""Certificates that change on disk while connections go on."""

from __future__ import annotations

import shutil
import ssl
from pathlib import Path

import pytest

import snowcast
from snowcast.agent.certificates import ControlTls, StreamTls
from snowcast.core.errors import UsageError
from support.certificates import Authority
from support.loops import FAST, on_loop

LOCAL = "127.0.0.1"


def stream_tls(folder: Path, authority: Authority) -> StreamTls:
    """Files of a fixed name, with what this authority signs now."""
    made = authority.tls(LOCAL)
    files = []
    for source, name in ((made.certificate, "crt"), (made.key, "key"), (made.authority, "ca")):
        shutil.copy(source, folder / name)
        files.append(folder / name)
    return StreamTls(*files)


@on_loop
async def test_a_renewed_certificate_of_a_new_authority_is_used_from_then_on(
    tmp_path: Path,
) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    tls = stream_tls(tmp_path, old)
    async with snowcast.join(config=FAST, tls=tls, name="a") as a:
        stream_tls(tmp_path, new)
        tls.renew()
        only_new = new.tls(LOCAL)
        async with snowcast.join(config=FAST, tls=only_new, seeds=[str(a.address)]) as b:
            await b.joined(60)
            assert (await b.broadcast(b"x", reliable=True)).is_complete


def test_files_that_are_no_good_change_nothing(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = stream_tls(tmp_path, authority)
    contexts = tls.contexts()
    assert tls.used == list(contexts)
    (tmp_path / "crt").write_text("nonsense")
    with pytest.raises(UsageError, match="cannot use"):
        tls.renew()
    assert len(tls.used) == 2, "what was made to look at the files is not kept"


def test_a_port_of_the_control_api_gets_its_certificate_anew(tmp_path: Path) -> None:
    made = Authority(tmp_path).tls(LOCAL)
    certificate, key = tmp_path / "crt", tmp_path / "key"
    shutil.copy(made.certificate, certificate)
    shutil.copy(made.key, key)
    tls = ControlTls(str(certificate), str(key))
    context = tls.context
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    tls.renew()
    assert tls.context is context, "the port has it already"
    certificate.unlink()
    with pytest.raises(UsageError, match=r"cannot use control\.certificate"):
        tls.renew()
    with pytest.raises(UsageError, match=r"cannot use control\.certificate"):
        ControlTls(str(key), "")
