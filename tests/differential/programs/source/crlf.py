import sys
def f():
    return """a
b"""
print(repr(f()))
1/0
