"""The docstring of main."""
from __future__ import annotations


def f(x: Undefined) -> AlsoUndefined:
    return x


print(__doc__, f.__annotations__, annotations)
