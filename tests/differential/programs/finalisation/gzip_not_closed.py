import gzip
import os

f = gzip.GzipFile("/workspace/x.gz", "wb", mtime=0)
f.write(b"hello " * 100)
print("end")
