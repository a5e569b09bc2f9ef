import contextlib

stack = contextlib.ExitStack()
stack.callback(print, "callback never runs")
print("end")
