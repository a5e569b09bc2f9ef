#: [files]
#: "log.txt" = "start\n"
f = open("/workspace/log.txt", "a")
f.write("more")
g = open("/workspace/rw.bin", "w+b")
g.write(b"12345")
g.seek(1)
g.write(b"x")
