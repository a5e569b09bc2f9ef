#: only = "cold"
#: [env]
#: PYTHONHASHSEED = "0"
import sys

print(hash("fixed") == hash("fixed"), sys.flags.hash_randomization >= 0)
