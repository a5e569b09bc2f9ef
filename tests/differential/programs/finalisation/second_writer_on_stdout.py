import io
import os

w = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False))
w.write("from my own wrapper, flushed by its end")
print("from print")
