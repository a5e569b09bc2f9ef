#: append = "counter += 1\n"
#: append_times = 5000
counter = -5000


class Check:
    def __iadd__(self, other):
        raise AssertionError("never")


import atexit

atexit.register(lambda: print(counter))
