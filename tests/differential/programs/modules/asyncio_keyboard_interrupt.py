import asyncio
import os
import signal


async def main():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(1)
    finally:
        print("cleaned up")


asyncio.run(main())
