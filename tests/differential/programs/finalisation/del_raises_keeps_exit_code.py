import sys


class Loud:
    def __del__(self):
        raise ValueError("in del")


x = Loud()
sys.exit(4)
