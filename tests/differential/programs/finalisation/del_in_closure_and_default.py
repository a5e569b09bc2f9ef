class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


def make():
    kept = Loud("closure")
    return lambda: kept


f = make()


def g(x=Loud("default")):
    return x


print("end")
