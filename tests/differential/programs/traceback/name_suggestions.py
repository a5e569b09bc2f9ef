import collections

class Thing:
    blech = 1

try:
    Thing().bleach
except AttributeError:
    import traceback
    traceback.print_exc()
try:
    collections.namedtoplo
except AttributeError:
    traceback.print_exc()
counter = 1
print(countr)
