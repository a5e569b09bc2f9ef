import sys

sys.tracebacklimit = 1


def f():
    g()


def g():
    raise ValueError("short")


f()
