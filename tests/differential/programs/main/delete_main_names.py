del __file__, __builtins__
print("still", [1, 2], len("abc"))
print(__name__)
