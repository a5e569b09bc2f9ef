import collections
import enum


class Colour(enum.Enum):
    RED = enum.auto()


P = collections.namedtuple("P", "x y")
print(repr(Colour.RED), P(1, 2), P.__module__)
