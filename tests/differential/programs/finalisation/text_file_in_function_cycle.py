class Holder:
    pass


h = Holder()
h.me = h
h.file = open("/workspace/cycle.txt", "w")
h.file.write("in a cycle")
del h
