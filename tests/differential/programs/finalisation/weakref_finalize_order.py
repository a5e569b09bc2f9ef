import atexit
import weakref


class A:
    pass


things = [A() for _ in range(3)]
atexit.register(print, "atexit first registered")
for i, thing in enumerate(things):
    weakref.finalize(thing, print, "finalise", i)
atexit.register(print, "atexit last registered")
