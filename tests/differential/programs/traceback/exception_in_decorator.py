def decorate(f):
    raise TypeError(f"will not decorate {f.__qualname__}")


@decorate
def plain():
    pass
