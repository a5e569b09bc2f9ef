class Loud:
    def __del__(self):
        print("del after traceback")


def f():
    local = Loud()
    raise ValueError("x")


f()
