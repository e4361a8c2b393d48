"""A node under attack, beside nodes that are not: it stays up, small, and of use to its cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import snowcast
from snowcast.core.address import Address
from snowcast.core.codec import encode
from snowcast.core.config import Config
from snowcast.core.frames import Nack
from snowcast.runtime.datagrams import PLAIN, SEALED, cluster_tag
from snowcast.runtime.keyring import KeyRing
from support.attacks import Attacker, attacker, peer
from support.certificates import Authority
from support.fleet import SOONER, Fleet, fleet

OTHERS = ["b", "c", "d", "e"]
MIB = 1 << 20
STRANGERS_MAX = snowcast.Limits().strangers_max
AT_ONCE = STRANGERS_MAX - STRANGERS_MAX // 4


IMPATIENT = msgspec.structs.replace(SOONER, suspicion_max_factor=2)
"""Members that somebody has only invented are evicted soon."""


@contextmanager
def besieged(config: Config | None = None, **limits: Any) -> Iterator[tuple[Fleet, Attacker]]:
    """A cluster, one of whose nodes, `target`, is to be attacked; and who is to do that.

    In the end the target has been of use all along, and still lets a newcomer in.
    """
    with fleet(config=config) as f:
        f.start("target", limits=limits)
        f.start(*OTHERS)
        f.agree()
        with attacker(f.addresses["target"]) as a:
            yield f, a
            goes_on(f)
        f.start("newcomer", seeds=[f.addresses["target"]])
        f.agree()
        assert not {t.member for t in f.told if t.event == "MemberEvicted"} & set(f.names)


def goes_on(f: Fleet) -> None:
    """Everybody, the target too, gets a message, and the target's own gets to everybody."""
    for origin in ("b", "target"):
        f.reach(origin, f"{len(f.heard)} from {origin}", ["target", *OTHERS])


def resources(f: Fleet) -> dict[str, int]:
    """What the target's process holds."""
    found: dict[str, int] = f.ask("target", "resources")
    return found


def refused(f: Fleet, reason: str) -> int:
    """How often the target has refused something for this reason."""
    counts: dict[str, int] = f.ask("target", "stats")["target"]
    return counts.get(f"refused_{reason}", 0)


def hold_idle(count: int) -> None:
    with besieged() as (f, a):
        before = resources(f)
        a.connect(count)
        f.until(lambda: refused(f, "strangers") >= count - STRANGERS_MAX)
        goes_on(f)
        after = resources(f)
        grown = after["rss_bytes"] - before["rss_bytes"]
        print(f"{count} idle connections: {grown / MIB:.1f} MiB more, {after['descriptors']} fds")
        assert after["descriptors"] - before["descriptors"] <= STRANGERS_MAX + 20
        assert grown < 32 * MIB
        f.until(lambda: refused(f, "strangers") + refused(f, "silence") >= count)
        f.until(lambda: resources(f)["descriptors"] <= before["descriptors"] + 20)


def test_ten_thousand_idle_connections_keep_nobody_out() -> None:
    hold_idle(10_000)


def test_strangers_that_drip_are_closed_at_their_deadline() -> None:
    with besieged(hello_timeout=1.0) as (f, a):
        dripping = a.connect(100, b"\x20")
        while refused(f, "silence") < len(dripping):
            for sock in dripping:
                a.say(sock, b"\x01")
            f.read()


def hold_halves(count: int, bytes_max: int) -> None:
    with besieged(partial_bytes_max=bytes_max, stall_timeout=2.0) as (f, a):
        before = resources(f)
        a.halves(count, 16 * MIB)
        f.until(lambda: refused(f, "partial") >= count - bytes_max // (16 * MIB))
        after = resources(f)
        grown = after["rss_bytes"] - before["rss_bytes"]
        print(f"{count} frames of 16 MiB begun: {grown / MIB:.1f} MiB more")
        assert grown < bytes_max + 32 * MIB
        goes_on(f)
        f.until(lambda: refused(f, "partial") + refused(f, "stall") >= count)
        f.until(lambda: resources(f)["rss_bytes"] < before["rss_bytes"] + 32 * MIB)


def test_frames_that_are_only_begun_are_bounded_and_given_up() -> None:
    hold_halves(30, 64 * MIB)


@pytest.mark.soak
def test_five_hundred_frames_that_are_only_begun_are_bounded_and_given_up() -> None:
    hold_halves(500, 256 * MIB)


def test_frames_over_the_limit_are_refused_before_they_are_read() -> None:
    with besieged() as (f, a):
        before = resources(f)
        a.over_the_limit(50)
        f.until(lambda: refused(f, "frame") >= 100)
        assert resources(f)["rss_bytes"] - before["rss_bytes"] < 16 * MIB


def fuzz(count: int, seed: int) -> None:
    """Some of what is nearly right is right, and tells of members that there are not: those go."""
    with besieged(IMPATIENT) as (f, a):
        before = resources(f)
        for at in range(0, count, AT_ONCE):
            a.garbage(AT_ONCE, seed * count + at)
            a.datagrams(5 * AT_ONCE, seed * count + at, PLAIN + cluster_tag(peer(0)))
            resources(f)  # once it answers, it has read what came, and not just dropped it
        f.until(lambda: refused(f, "frame") + refused(f, "hello") > count // 4)
        f.until(lambda: refused(f, "datagram") > count // 4)
        goes_on(f)
        f.until(lambda: resources(f)["descriptors"] <= before["descriptors"] + 20)
        assert resources(f)["rss_bytes"] - before["rss_bytes"] < 32 * MIB


def test_streams_and_datagrams_that_are_nearly_right_do_no_harm() -> None:
    fuzz(400, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_more_streams_and_datagrams_that_are_nearly_right_do_no_harm(seed: int) -> None:
    fuzz(20_000, seed)


def test_datagrams_without_the_key_and_copies_of_those_with_it_are_refused() -> None:
    key = snowcast.generate_key()
    with fleet() as f:
        f.start("target", keys=[key])
        f.start(*OTHERS, keys=[key])
        f.agree()
        tag, body = cluster_tag(peer(0)), peer(1).address + encode(Nack(1))
        head = SEALED + tag + Address.parse(f.addresses["target"])
        right, wrong = KeyRing([key]), KeyRing([snowcast.generate_key()])
        recorded = SEALED + tag + right.seal(body, head)
        forged = SEALED + tag + wrong.seal(body, head)
        with attacker(f.addresses["target"]) as a:
            for sent in (recorded, forged, PLAIN + tag + body):
                a.send(sent, 50)
            f.until(lambda: refused(f, "replay") == 49)
            f.until(lambda: refused(f, "key") == 50)
            f.until(lambda: refused(f, "unsealed") == 50)
        goes_on(f)


def test_who_is_of_another_kind_stays_outside_and_the_cluster_goes_on(tmp_path: Path) -> None:
    good, bad = Authority(tmp_path, "good"), Authority(tmp_path, "bad")
    tls, key = _files(good.tls("127.0.0.1")), snowcast.generate_key()
    inside: dict[str, Any] = {"tls": tls, "keys": [key]}
    outside: dict[str, dict[str, Any]] = {
        "cluster": {**inside, "config": {"cluster": "another"}},
        "fanout": {**inside, "config": {"fanout": 8}},
        "ring_order": {**inside, "config": {"ring_order": "hashed"}},
        "certificate": {**inside, "tls": _files(bad.tls("127.0.0.1"))},
        "plain": {"keys": [key]},
    }
    with fleet() as f:
        f.start("target", **inside)
        f.start(*OTHERS, **inside)
        f.agree()
        f.launch(*outside)
        for name, options in outside.items():
            f.join(name, **options)
        for reason in ("cluster", "fanout", "ring_order", "certificate"):
            f.until(lambda reason=reason: refused(f, reason), reason)
        before = f.each("stats")
        f.until(
            lambda: all(
                f.each("stats")[name]["links_failed"] > before[name]["links_failed"]
                for name in outside
            )
        )
        goes_on(f)
        seen = f.each("status")
        assert {tuple(seen[name]["members"]) for name in ("target", *OTHERS)} == {
            ("b", "c", "d", "e", "target")
        }
        assert not any(seen[name]["joined"] for name in outside)


def _files(tls: snowcast.Tls) -> list[str]:
    return [str(tls.certificate), str(tls.key), str(tls.authority)]
