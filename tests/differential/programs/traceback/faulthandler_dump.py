#: mask = ["0x[0-9a-f]+"]
import faulthandler


def f():
    faulthandler.dump_traceback()


f()
