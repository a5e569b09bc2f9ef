import sys

print(repr(sys.stdin.read()), repr(sys.stdin.readline()), list(sys.stdin))
