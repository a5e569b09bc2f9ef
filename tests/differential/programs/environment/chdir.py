import os

os.chdir("/tmp")
open("elsewhere", "w").write("not collected")
os.mkdir("/workspace/d")
open("/workspace/d/f", "w").write("collected")
1 / 0
