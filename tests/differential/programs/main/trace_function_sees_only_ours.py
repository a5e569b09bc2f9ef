import sys

seen = []


def trace(frame, event, arg):
    seen.append((frame.f_code.co_filename.rsplit("/")[-1], frame.f_code.co_name, event))
    return trace


def f():
    return 1


sys.settrace(trace)
f()
sys.settrace(None)
print(seen)
