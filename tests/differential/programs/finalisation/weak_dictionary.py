import weakref


class A:
    pass


d = weakref.WeakValueDictionary()
kept = A()
d["x"] = kept
print(list(d))
