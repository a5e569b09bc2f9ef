import asyncio
import os
import signal


async def main():
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, event.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await event.wait()
    print(await asyncio.to_thread(lambda: "from a thread"))


asyncio.run(main())
