"""Seeds: addresses, names, and nodes that go by another address."""

from __future__ import annotations

import socket
from threading import Event

import pytest

import snowcast
from snowcast.core.address import Address
from snowcast.core.errors import UsageError
from snowcast.runtime import seeds as seeds_module
from snowcast.runtime.seeds import Seeds
from snowcast.testing import agreed
from support.loops import FAST, local, on_loop, until

ME = local(7001)


@on_loop
async def test_addresses_are_seeds_at_once_and_this_node_is_none() -> None:
    seeds = Seeds(["127.0.0.1:7002", "[::1]:7003", "127.0.0.1:7001"], ME, [local(7004)], print)
    await seeds.look_up()

    assert set(seeds.addresses) == {local(7002), Address.of("::1", 7003), local(7004)}
    assert seeds.texts == ["127.0.0.1:7002", "[::1]:7003", "127.0.0.1:7001", str(local(7004))]
    assert not seeds.is_empty
    assert Seeds([], ME, [], print).is_empty


@on_loop
async def test_a_name_that_means_nothing_yet_is_looked_up_until_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers: list[list[str] | OSError] = [OSError(), OSError(), ["127.0.0.1"]]

    async def look_up_host(host: str) -> list[str]:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(seeds_module, "RETRY_S", 0.001)
    monkeypatch.setattr(seeds_module, "look_up_host", look_up_host)
    found: list[tuple[Address, ...]] = []
    seeds = Seeds(["db-1:7002"], ME, [], found.append)
    await seeds.look_up()
    assert seeds.addresses == ()
    assert not seeds.is_empty

    await until(lambda: found)
    assert found == [(local(7002),)]
    await seeds.close()


@on_loop
async def test_a_name_that_leads_elsewhere_is_followed_until_seeds_are_needed_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    me, one, two = (Address.of(f"127.0.0.{n}", 7001) for n in (1, 2, 3))
    leads_to = [me, one]
    asked = 0

    async def look_up_host(host: str) -> list[str]:
        nonlocal asked
        asked += 1
        if not leads_to:
            raise OSError
        return [address.host for address in leads_to]

    monkeypatch.setattr(seeds_module, "RETRY_S", 0.001)
    monkeypatch.setattr(seeds_module, "look_up_host", look_up_host)
    found: list[tuple[Address, ...]] = []
    done: list[bool] = []
    seeds = Seeds(["cluster:7001"], me, [], found.append, lambda: bool(done))
    await seeds.look_up()
    assert seeds.addresses == (one,)

    assert seeds.replace(one, local(9))
    asked_before = asked
    await until(lambda: asked > asked_before + 2)
    assert found.pop() == (local(9),), "and what it goes by is not looked up away"
    assert not found

    leads_to[:] = [me, two]
    await until(lambda: found)
    assert found.pop() == (local(9), two)
    leads_to.clear()
    asked_before = asked
    await until(lambda: asked > asked_before + 2)
    assert not found, "a name that leads nowhere for a while is remembered"
    leads_to[:] = [me]
    await until(lambda: found)
    assert found.pop() == (local(9),)

    done.append(True)
    await until(lambda: all(task.done() for task in seeds._tasks))
    await seeds.close()


@on_loop
async def test_a_name_that_nobody_answers_for_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where the servers that know names are down: each lookup takes half a minute to fail."""
    answered = Event()

    def getaddrinfo(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if host != "well":
            answered.wait()
            raise OSError
        return [(2, 1, 6, "", ("127.0.0.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    try:
        seeds = Seeds(["dead:7002", "well:7003", "gone:7002"], ME, [], print)
        await seeds.look_up()
        assert seeds.addresses == (local(7003),)
        await seeds.close()

        async with snowcast.join(config=FAST) as first:
            well = f"well:{first.address.port}"
            async with snowcast.join(seeds=["dead:1", well], config=FAST, wait=60) as second:
                await agreed([first, second])
    finally:
        answered.set()


@on_loop
async def test_names_are_really_looked_up() -> None:
    assert "127.0.0.1" in await seeds_module.look_up_host("localhost")
    for nonsense in ("a" * 300, "a..b"):
        with pytest.raises(OSError, match="label"):
            await seeds_module.look_up_host(nonsense)


@on_loop
async def test_a_seed_that_goes_by_another_address_is_replaced() -> None:
    found: list[tuple[Address, ...]] = []
    seeds = Seeds(["127.0.0.1:7002", "127.0.0.1:7003"], ME, [], found.append)
    await seeds.look_up()

    assert seeds.replace(local(7002), local(9))
    assert not seeds.replace(local(7002), local(9)), "it is no seed any more"
    assert seeds.replace(local(7003), ME)
    assert found == [(local(7003), local(9)), (local(9),)]


@pytest.mark.parametrize("text", ["10.0.0.1", "10.0.0.1:0", "fd00::1:7946", ""])
def test_a_seed_has_a_host_and_a_port(text: str) -> None:
    with pytest.raises(UsageError):
        Seeds([text], ME, [], print)
