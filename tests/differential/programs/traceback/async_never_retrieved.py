import asyncio


async def fail():
    raise ValueError("nobody looks")


async def main():
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: print("handler:", context["message"], context["exception"])
    )
    task = asyncio.ensure_future(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task


asyncio.run(main())
