import sys

print(sys.getrecursionlimit())


def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n


print(depth(1))
