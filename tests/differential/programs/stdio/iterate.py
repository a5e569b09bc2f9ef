#: stdin = "a\nb\r\nc\n"
import sys

print([line for line in sys.stdin])
