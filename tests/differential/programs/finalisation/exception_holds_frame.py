class Loud:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print("del", self.n)


def f():
    a = Loud(1)
    try:
        raise ValueError
    except ValueError as error:
        return error


kept = f()
print("end")
