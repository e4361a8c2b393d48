"""Three nodes in one process: one says hello, the others hear it."""

import asyncio

import snowcast


async def main() -> None:
    async with (
        snowcast.join(name="ada") as ada,
        snowcast.join(name="bob", seeds=[str(ada.address)], wait=10) as bob,
        snowcast.join(name="cyd", seeds=[str(ada.address)], wait=10) as cyd,
    ):
        receipt = await ada.broadcast(b"hello", reliable=True)
        print(f"delivered to {receipt.delivered}, missing: {list(receipt.missing)}")
        for node in (bob, cyd):
            message = await anext(node.messages())
            print(f"{node.name} heard {message.payload.decode()!r} from {message.sender}")


if __name__ == "__main__":
    asyncio.run(main())
