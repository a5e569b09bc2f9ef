import sys


class A:
    def __del__(self):
        sys.exit(3)


A()
print("goes on")
