class Loud:
    def __del__(self):
        raise ValueError("in del at exit")


x = Loud()
print("end")
