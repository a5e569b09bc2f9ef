import sys


class Hook:
    def __call__(self, *args):
        print("hook", args[1])

    def __del__(self):
        print("hook deleted")


sys.excepthook = Hook()
raise ValueError("x")
