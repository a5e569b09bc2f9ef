async def f():
    return 1


c = f()
print("end")
