# The order in a cycle depends on when the collector last ran by itself: here it does not.
import gc

gc.disable()
import collections


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


d = collections.deque([Loud("deque")])
m = map(lambda x: x, [Loud("map")])
i = iter([Loud("iterator")])
o = collections.OrderedDict(a=Loud("ordered"))
p = functools_partial = __import__("functools").partial(print, Loud("partial"))
