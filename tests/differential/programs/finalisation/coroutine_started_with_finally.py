class Wait:
    def __await__(self):
        yield


async def f():
    try:
        await Wait()
    finally:
        print("coroutine finally")


c = f()
c.send(None)
print("end")
