"""Keep a setting the same on every node, and know which node has not got it."""

import asyncio
import json

import snowcast


async def follow(cluster: snowcast.Cluster, settings: dict[str, str]) -> None:
    async for message in cluster.messages():
        if isinstance(message, snowcast.Message):
            settings.update(json.loads(message.payload))


async def main() -> None:
    async with snowcast.join(name="control") as control:
        seeds = [str(control.address)]
        async with (
            asyncio.TaskGroup() as tasks,
            snowcast.join(name="worker", seeds=seeds, wait=10) as worker,
        ):
            settings: dict[str, str] = {}
            tasks.create_task(follow(worker, settings))
            receipt = await control.broadcast(
                json.dumps({"level": "debug"}).encode(), mode="coloring", reliable=True
            )
            if not receipt.is_complete:
                print(f"try these again: {', '.join(receipt.missing)}")
            while not settings:
                await asyncio.sleep(0.01)
            print(f"worker runs with {settings}")
            await worker.leave(linger=0.1)


if __name__ == "__main__":
    asyncio.run(main())
