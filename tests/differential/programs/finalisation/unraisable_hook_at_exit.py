import sys

sys.unraisablehook = lambda args: sys.__stderr__.write(f"hook saw {args.exc_value}\n")


class A:
    def __del__(self):
        raise ValueError("late")


a = A()
