import sys


def hook(kind, value, trace):
    raise RuntimeError("the hook fails too")


sys.excepthook = hook
{}["a"]
