class Loud:
    def __del__(self):
        print("del of a class attribute")


class Holder:
    attribute = Loud()


print("end")
