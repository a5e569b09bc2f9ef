f = open("/workspace/raw.bin", "wb", buffering=0)
f.write(b"raw")
g = open("/workspace/line.txt", "w", buffering=1)
g.write("line\npart")
