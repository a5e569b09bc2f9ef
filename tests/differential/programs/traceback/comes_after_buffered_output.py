import sys

sys.stdout.write("no newline")
sys.stderr.write("error text without newline")
raise ValueError("x")
