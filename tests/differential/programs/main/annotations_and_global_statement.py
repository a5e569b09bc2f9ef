x: int = 1


def f():
    global x
    x = 2


f()
print(x, __annotations__)
