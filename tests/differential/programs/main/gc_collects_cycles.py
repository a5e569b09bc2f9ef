import gc


class Node:
    def __del__(self):
        print("collected")


a = Node()
a.me = a
del a
print(gc.collect() > 0)
