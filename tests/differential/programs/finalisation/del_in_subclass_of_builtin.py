class Items(list):
    def __del__(self):
        print("del of a list with", len(self))


x = Items([1, 2, 3])
