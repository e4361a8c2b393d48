"""The plugin for users' own tests."""

import pytest

import snowcast
from snowcast import testing
from support.loops import on_loop

pytest_plugins = ["pytester"]


@on_loop
async def test_a_local_cluster_is_made_of_nodes_that_know_each_other() -> None:
    async with testing.local_cluster(4, tags={"a": "b"}) as nodes:
        assert [node.name for node in nodes] == [f"node-{number}" for number in range(4)]
        assert {len(node.members) for node in nodes} == {4}
        assert nodes[0].me.tags == (("a", "b"),)
    with pytest.raises(snowcast.ClosedError):
        await nodes[0].broadcast(b"")


def test_pytest_finds_the_fixture_by_itself(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio

        def test_everybody_hears(cluster):
            async def story():
                async with cluster(3) as nodes:
                    return await nodes[0].broadcast(b"hello", reliable=True)

            assert asyncio.run(story()).delivered == 2
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
