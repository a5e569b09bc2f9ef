import sys

print(sys.flags.hash_randomization, sys.hash_info)
print(hash("") == 0, hash(b"") == 0)
