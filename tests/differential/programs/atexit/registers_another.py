import atexit


def first():
    print("first")
    atexit.register(print, "registered late")


atexit.register(first)
