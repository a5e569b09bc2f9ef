class Loud:
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


x = Loud("slots")
