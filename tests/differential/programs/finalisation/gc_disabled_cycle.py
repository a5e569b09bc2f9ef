import gc


class Node:
    def __del__(self):
        print("del")


gc.disable()
n = Node()
n.me = n
del n
print("end")
