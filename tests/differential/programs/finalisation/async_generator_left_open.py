import asyncio


async def numbers():
    try:
        for i in range(10):
            yield i
    finally:
        print("async generator closed")


async def main():
    async for n in numbers():
        if n == 2:
            print("break")
            break


asyncio.run(main())
