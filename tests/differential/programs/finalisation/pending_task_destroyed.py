import asyncio


async def forever():
    await asyncio.Event().wait()


async def main():
    loop = asyncio.get_running_loop()
    loop.stash = loop.create_task(forever(), name="pending")
    await asyncio.sleep(0)


loop = asyncio.new_event_loop()
loop.run_until_complete(main())
