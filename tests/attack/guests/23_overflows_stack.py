import sys

class Deep:
    def __repr__(self):
        return repr(self)

sys.setrecursionlimit(1 << 30)
print("falling", flush=True)
repr(Deep())
print("landed", flush=True)
