import weakref


class A:
    pass


a = A()
r = weakref.ref(a, lambda ref: print("gone"))
del a
b = A()
s = weakref.ref(b, lambda ref: print("gone at exit?"))
print("end")
