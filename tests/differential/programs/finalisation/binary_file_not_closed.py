f = open("/workspace/data.bin", "wb")
f.write(bytes(range(256)))
