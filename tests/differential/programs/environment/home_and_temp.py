import os
import tempfile

print(os.path.expanduser("~"), tempfile.gettempdir(), os.listdir("/tmp"), os.getcwd())
with tempfile.NamedTemporaryFile("w+") as f:
    f.write("x")
    print(os.path.dirname(f.name))
