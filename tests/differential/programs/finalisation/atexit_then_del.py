import atexit


class A:
    def __del__(self):
        print("del after atexit")


a = A()
atexit.register(print, "atexit")
