import os

print(dir(os), os.name, os.curdir)
