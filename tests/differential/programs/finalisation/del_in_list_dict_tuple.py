class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


items = [Loud("list"), {"k": Loud("dict")}, (Loud("tuple"), {frozenset([1]): [Loud("deep")]})]
print("end")
