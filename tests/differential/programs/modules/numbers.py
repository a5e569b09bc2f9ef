import cmath
import math

print(math.pi, 0.1 + 0.2, 2**100, cmath.sqrt(-1), math.fsum([0.1] * 10), float("nan"), 1e308 * 10)
print(int("9" * 4000) % 97)
