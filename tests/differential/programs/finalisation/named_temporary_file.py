import os
import tempfile

f = tempfile.NamedTemporaryFile(dir="/workspace")
f.write(b"x")
kept = tempfile.NamedTemporaryFile(dir="/workspace", delete=False)
kept.write(b"kept")
os.rename(kept.name, "/workspace/kept")
