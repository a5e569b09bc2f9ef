import contextlib


@contextlib.contextmanager
def resource():
    print("open")
    try:
        yield 5
    finally:
        print("close")


manager = resource()
print(manager.__enter__())
print("never left")
