"""From settings to the runtime: all arrives, and contradictions are found before the start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import snowcast
from snowcast.agent import setup
from snowcast.agent.certificates import StreamTls
from snowcast.agent.secret_files import write_keys
from snowcast.agent.settings import Settings
from snowcast.core.broadcast import SnowBroadcaster
from snowcast.core.errors import UsageError
from snowcast.core.trees import Mode
from support.agents import agent
from support.certificates import Authority
from support.loops import on_loop


def settings(**sections: Any) -> Settings:
    return msgspec.convert(sections, Settings)


def test_everything_that_was_set_arrives() -> None:
    given = settings(
        node={
            "name": "ada",
            "tags": {"zone": "a"},
            "bind": "127.0.0.1:1",
            "advertise": "10.0.0.1",
            "seeds": ["b:2"],
            "snapshot": "s.json",
            "linger": 7,
        },
        cluster={"name": "blue"},
        trace={"directory": "t", "run": "r"},
        limits={"links_max": 7},
    )
    options = setup.options(given)
    assert options == snowcast.Options(
        name="ada",
        tags={"zone": "a"},
        bind="127.0.0.1:1",
        advertise="10.0.0.1",
        seeds=("b:2",),
        snapshot="s.json",
        linger=7,
        config=snowcast.Config(cluster="blue"),
        trace_dir="t",
        trace_run="r",
        limits=snowcast.Limits(links_max=7),
        tls_option="security.certificate",
        keys_option="security.keys_file",
    )


def test_what_is_empty_is_nothing() -> None:
    options = setup.options(settings(node={"name": "ada"}))
    nothing = (options.advertise, options.snapshot, options.tls, options.keys, options.trace_dir)
    assert nothing == (None,) * 5


@pytest.mark.parametrize(
    ("protocol", "mode"), [("standard", Mode.STANDARD), ("coloring", Mode.COLORING)]
)
def test_snows_own_ways_are_a_mode_of_each_message(protocol: str, mode: Mode) -> None:
    given = settings(cluster={"protocol": protocol})
    assert setup.way(given).mode is mode
    assert setup.options(given).make_broadcaster is SnowBroadcaster


def test_baselines_take_the_place_of_snow_and_unknown_ways_are_named() -> None:
    assert setup.options(settings(cluster={"protocol": "gossip"})).make_broadcaster is not (
        SnowBroadcaster
    )
    with pytest.raises(UsageError, match=r"^cluster\.protocol: .*'pigeon'"):
        setup.options(settings(cluster={"protocol": "pigeon"}))


@pytest.mark.parametrize("linger", [-1, float("inf"), float("nan")])
def test_a_linger_is_a_time(linger: float) -> None:
    given = msgspec.structs.replace(Settings(), node=msgspec.structs.replace(
        Settings().node, linger=linger))  # fmt: skip
    with pytest.raises(UsageError, match=r"node\.linger"):
        setup.options(given)


def test_names_and_tags_are_small_for_every_member_keeps_them() -> None:
    setup.check_tags({"k": "v" * 4095})
    with pytest.raises(UsageError, match="at most 4096 bytes together, not 4097"):
        setup.check_tags({"k": "ö" * 2048})
    with pytest.raises(UsageError, match="at most 4096"):
        setup.options(settings(node={"tags": {"k": "v" * 4096}}))
    with pytest.raises(UsageError, match=r"node\.name has at most 255 bytes"):
        setup.options(settings(node={"name": "ö" * 128}))


def test_tls_takes_three_files_that_are_good(tmp_path: Path) -> None:
    tls = Authority(tmp_path).tls("127.0.0.1")
    files = {
        "certificate": str(tls.certificate),
        "private_key": str(tls.key),
        "authority": str(tls.authority),
    }
    made = setup.tls(settings(security={**files, "verify_addresses": False}))
    assert made == StreamTls(*files.values(), False)
    assert setup.tls(Settings()) is None
    with pytest.raises(UsageError, match=r"security\.authority not given"):
        setup.tls(settings(security={**files, "authority": ""}))
    with pytest.raises(UsageError, match="cannot use"):
        setup.tls(settings(security={**files, "private_key": files["certificate"]}))


def test_keys_come_from_the_file_or_else_from_the_settings(tmp_path: Path) -> None:
    one, two = snowcast.generate_key(), snowcast.generate_key()
    path = tmp_path / "keys"
    only = setup.key_ring(settings(security={"keys": [one, two]}))
    assert only is not None
    assert only.texts() == [one, two]

    both = settings(security={"keys": [one], "keys_file": str(path)})
    first = setup.key_ring(both)
    assert first is not None
    assert first.texts() == [one], "there is no file yet"
    write_keys(path, [two, one])
    later = setup.key_ring(both)
    assert later is not None
    assert later.texts() == [two, one], "what has become of the keys since"


def test_keys_that_are_none_are_named_by_their_place_and_not_shown(tmp_path: Path) -> None:
    assert setup.key_ring(Settings()) is None
    with pytest.raises(UsageError, match=r"^security\.keys: a key has 16, 24 or 32") as error:
        setup.key_ring(settings(security={"keys": ["c2VjcmV0"]}))
    assert "c2VjcmV0" not in str(error.value)
    path = tmp_path / "keys"
    path.write_text("nonsense!\n")
    path.chmod(0o600)
    with pytest.raises(UsageError, match=f"^{path}: a key is 32 bytes in base64"):
        setup.key_ring(settings(security={"keys_file": str(path)}))
    with pytest.raises(UsageError, match="`snowcast keys generate` makes one"):
        setup.key_ring(settings(security={"keys_file": str(tmp_path / "nothing")}))


@on_loop
async def test_who_listens_for_all_is_told_what_to_set_in_the_words_of_an_agent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with agent(tmp_path, node={"bind": "0.0.0.0:0", "advertise": "127.0.0.1"}):
        pass
    [told] = [r.getMessage() for r in caplog.records if "WHERE ANYBODY" in r.getMessage()]
    assert "streams have no TLS (security.certificate)" in told
    assert "datagrams have no keys (security.keys_file)" in told
