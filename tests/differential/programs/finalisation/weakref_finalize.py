import weakref


class A:
    pass


a = A()
weakref.finalize(a, print, "finalised", "at exit")
b = A()
f = weakref.finalize(b, print, "not at exit")
f.atexit = False
print("end")
