import os

os.mkdir("/workspace/gone")
os.chdir("/workspace/gone")
os.rmdir("/workspace/gone")
print(os.getcwd())
