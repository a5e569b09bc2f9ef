import sys

seen = []
sys.addaudithook(lambda event, args: seen.append(args[0]) if event == "import" else None)
import colorsys
import os

print(seen)
