import sys


def hook(kind, value, trace):
    depth = 0
    while trace:
        print("frame", trace.tb_frame.f_code.co_name, trace.tb_lineno)
        trace = trace.tb_next
        depth += 1
    print("hooked", kind.__name__, value, depth, file=sys.stderr)


def fail():
    raise ValueError("x")


sys.excepthook = hook
fail()
