import builtins


class Loud:
    def __del__(self):
        import sys

        sys.__stderr__.write("del in builtins\n")


builtins.loud = Loud()
