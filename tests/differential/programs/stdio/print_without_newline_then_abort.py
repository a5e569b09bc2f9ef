import os

print("lost", end="")
os.abort()
