import asyncio


async def main():
    process = await asyncio.create_subprocess_exec("echo", "hi", stdout=asyncio.subprocess.PIPE)
    print(await process.communicate(), process.returncode)


asyncio.run(main())
