import sys

print("a", "b", sep="-", end="!\n", file=sys.stderr, flush=True)
print()
print(*range(3), sep=", ")
