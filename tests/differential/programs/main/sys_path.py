import sys

print(sys.path)
print(sys.path_hooks.__len__(), sys.meta_path)
