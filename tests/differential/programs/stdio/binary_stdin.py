#: stdin = "\u0000\u0001 é\n"
import sys

print(sys.stdin.buffer.read())
