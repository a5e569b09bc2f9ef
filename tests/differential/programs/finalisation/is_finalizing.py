import sys


class A:
    def __del__(self):
        print(sys is not None and sys.is_finalizing())


a = A()
