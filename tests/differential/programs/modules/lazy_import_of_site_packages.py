import importlib.util

print(importlib.util.find_spec("pip") is not None, importlib.util.find_spec("nope"))
