#: stdin = "first\nsecond line\nlast without newline"
import sys

print([input("prompt> "), input()])
print(sys.stdin.read())
