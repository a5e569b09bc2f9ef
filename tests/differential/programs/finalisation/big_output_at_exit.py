import sys

sys.stdout.write("x" * 300000)
