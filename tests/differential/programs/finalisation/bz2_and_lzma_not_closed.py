import bz2
import lzma

b = bz2.open("/workspace/x.bz2", "wb")
b.write(b"abc")
x = lzma.open("/workspace/x.xz", "wb")
x.write(b"abc")
