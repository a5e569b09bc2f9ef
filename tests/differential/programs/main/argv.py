#: args = ["plain", "with space", "", "--flag=1", "ünïcödé €", "$HOME", "'quoted\"", "line\nbreak", "\\"]
import sys

print(sys.argv)
print(len(sys.argv), [len(a) for a in sys.argv])
