import sys
import zipfile

with zipfile.ZipFile("/workspace/lib.zip", "w") as z:
    z.writestr(zipfile.ZipInfo("zipped.py"), "def f():\n    raise ValueError('zipped')\n")
sys.path.insert(0, "/workspace/lib.zip")
import zipped

print(zipped.__file__)
zipped.f()
