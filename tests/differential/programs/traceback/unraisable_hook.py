import sys

sys.unraisablehook = lambda args: print("unraisable:", args.exc_value, args.err_msg)


class Loud:
    def __del__(self):
        raise ValueError("in del")


Loud()
print("after")
