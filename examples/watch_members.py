"""Print what becomes of the members of a cluster: who joins, leaves, and is lost."""

import asyncio

import snowcast


async def watch(cluster: snowcast.Cluster) -> None:
    async for event in cluster.events():
        match event:
            case snowcast.MemberJoined(member):
                print(f"{member.label} has joined, with tags {dict(member.tags)}")
            case snowcast.MemberLeft(member):
                print(f"{member.label} has left")
            case snowcast.MemberEvicted(member):
                print(f"{member.label} is lost")
            case snowcast.Lagged(missed):
                print(f"too slow: missed {missed} events")


async def main() -> None:
    async with snowcast.join(name="watcher") as cluster:
        watching = asyncio.create_task(watch(cluster))
        seeds = [str(cluster.address)]
        async with snowcast.join(name="visitor", seeds=seeds, tags={"zone": "north"}, wait=10):
            await asyncio.sleep(0.1)
        while len(cluster.members) > 1:
            await asyncio.sleep(0.05)
    await watching  # ends when the cluster is closed


if __name__ == "__main__":
    asyncio.run(main())
