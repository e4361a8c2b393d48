"""Certificates in use: new files are taken up, and what is about to expire is said."""

from __future__ import annotations

import asyncio
import datetime
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snowcast.agent import renewing, showing
from snowcast.agent.certificates import ControlTls
from snowcast.agent.renewing import DAY_S, SOON_S, Certificates, Validity, validity
from snowcast.core.errors import UsageError
from support.agents import agent
from support.certificates import Authority
from support.loops import on_loop, until

LOCAL = "127.0.0.1"


def in_days(days: float) -> datetime.datetime:
    """So many days from now."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None) + datetime.timedelta(days)


def put(folder: Path, authority: Authority, days: float) -> dict[str, str]:
    """Files of fixed names, with a certificate that holds for so many days."""
    made = authority.tls(LOCAL, end=in_days(days))
    for source, name in ((made.certificate, "crt"), (made.key, "key"), (made.authority, "ca")):
        (folder / f"new-{name}").write_bytes(Path(source).read_bytes())
        (folder / f"new-{name}").replace(folder / name)
    paths = {"certificate": "crt", "private_key": "key", "authority": "ca"}
    return {setting: str(folder / name) for setting, name in paths.items()}


def control_tls(files: dict[str, str]) -> ControlTls:
    """What a port would use of these files."""
    return ControlTls(files["certificate"], files["private_key"])


@on_loop
async def test_an_agent_takes_up_new_files_without_being_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewing, "LOOK_S", 0.01)
    authority = Authority(tmp_path)
    security: dict[str, Any] = put(tmp_path, authority, 3)
    async with agent(tmp_path, security=security) as a:
        [warning] = showing.status_info(a).warnings
        assert warning.startswith("the certificate of security.certificate expires in 3 days")
        assert a.certificates.expire_in_s()["security.certificate"] < 4 * DAY_S
        put(tmp_path, authority, 90)
        await until(lambda: not showing.status_info(a).warnings)
        assert a.certificates.expire_in_s()["security.certificate"] > 80 * DAY_S


@on_loop
async def test_links_that_lead_elsewhere_are_new_files(tmp_path: Path) -> None:
    """As a kubelet does it: one link to a folder is replaced, with all files behind it."""
    authority = Authority(tmp_path)
    for name, days in (("one", 3), ("two", 90)):
        (tmp_path / name).mkdir()
        put(tmp_path / name, authority, days)
    link, later = tmp_path / "data", tmp_path / "later"
    link.symlink_to("one")
    found = Certificates()
    found.add("control.certificate", ControlTls(str(link / "crt"), str(link / "key")))
    assert found.warnings()
    later.symlink_to("two")
    later.replace(link)
    found.look()
    assert not found.warnings()


@on_loop
async def test_files_that_are_no_good_change_nothing_and_are_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    authority, found = Authority(tmp_path), Certificates()
    files = put(tmp_path, authority, 90)
    found.add("control.certificate", control_tls(files))
    before = found.expire_in_s()["control.certificate"]
    (tmp_path / "crt").write_text("half of a certif")
    for _ in range(3):
        found.look()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "new files are no good: cannot use control.certificate" in caplog.text
    assert abs(found.expire_in_s()["control.certificate"] - before) < DAY_S
    (tmp_path / "key").unlink()
    found.look()
    assert len(found) == 1
    put(tmp_path, authority, 200)
    found.look()
    assert found.expire_in_s()["control.certificate"] > 190 * DAY_S


@on_loop
async def test_what_is_about_to_expire_is_logged_once_and_again_when_renewed_in_vain(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    authority, found = Authority(tmp_path), Certificates()
    found.add("control.certificate", control_tls(put(tmp_path, authority, 0.5)))
    watching = asyncio.create_task(found.watch())
    await asyncio.sleep(0)
    watching.cancel()
    await asyncio.wait((watching,))
    found.look()
    assert caplog.text.count("expires in 12.0 hours") == 1
    put(tmp_path, authority, -1)
    found.look()
    assert caplog.text.count("has expired") == 1
    assert found.expire_in_s()["control.certificate"] < 0
    assert "has expired: replace its files" in found.warnings()[0]


def test_the_first_certificate_of_a_file_is_that_of_the_agent(tmp_path: Path) -> None:
    files = put(tmp_path, Authority(tmp_path), 5)
    chain = tmp_path / "chain"
    parts = [Path(files[name]).read_bytes() for name in ("certificate", "authority")]
    chain.write_bytes(b"".join(parts))
    assert validity(chain) == validity(files["certificate"])
    assert abs(validity(chain).end - time.time() - 5 * DAY_S) < DAY_S
    for wrong in (files["private_key"], tmp_path / "nothing"):
        with pytest.raises(UsageError, match="cannot read the certificate in"):
            validity(wrong)


@given(st.floats(0, 1e9), st.floats(1, 1e9))
def test_the_end_is_near_in_the_last_sixth_and_never_sooner_than_two_weeks(
    begin: float, length: float
) -> None:
    one = Validity(begin, begin + length)
    assert not one.is_near_its_end(begin)
    assert one.is_near_its_end(one.end)
    assert one.is_near_its_end(one.end + 1)
    assert not one.is_near_its_end(one.end - SOON_S - 1)
    assert one.is_near_its_end(one.end - length / 10) == (length / 10 < min(SOON_S, length / 6))
