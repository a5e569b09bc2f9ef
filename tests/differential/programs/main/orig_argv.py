#: args = ["-v", "--", "-c", "x"]
import sys

print(sys.orig_argv, sys.argv, sys.flags.verbose)
