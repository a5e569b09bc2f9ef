import sys


def g():
    try:
        yield 1
        sys.exit(8)
    finally:
        print("generator closed")


for x in g():
    print(x)
