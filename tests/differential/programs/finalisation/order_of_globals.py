class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


_private = Loud("_private")
public = Loud("public")
__dunder = Loud("__dunder")
another = Loud("another")
