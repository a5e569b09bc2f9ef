import functools


class Loud:
    def __del__(self):
        print("cached object deleted")


@functools.lru_cache
def get():
    return Loud()


get()
print("end")
