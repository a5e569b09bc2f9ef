"""
>>> 1 + 1
2
>>> 1 + 2
4
"""
import doctest

print(doctest.testmod())
