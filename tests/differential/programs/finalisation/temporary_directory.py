import atexit
import os
import tempfile

t = tempfile.TemporaryDirectory(dir="/workspace")
path = t.name
open(path + "/inside", "w").write("x")
atexit.register(lambda: print(os.path.exists(path)))
