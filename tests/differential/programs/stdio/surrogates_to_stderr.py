import sys

print("\ud800 \udcff", file=sys.stderr)
