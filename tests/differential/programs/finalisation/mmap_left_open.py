import mmap

f = open("/workspace/m.bin", "w+b")
f.write(b"\0" * 16)
f.flush()
m = mmap.mmap(f.fileno(), 16)
m[:5] = b"hello"
