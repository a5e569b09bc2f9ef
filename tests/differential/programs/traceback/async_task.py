import asyncio


async def inner():
    raise LookupError("in a task")


async def main():
    await asyncio.create_task(inner())


asyncio.run(main())
