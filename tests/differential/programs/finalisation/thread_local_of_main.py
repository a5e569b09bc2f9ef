import threading


class Loud:
    def __del__(self):
        print("local of main deleted")


local = threading.local()
local.x = Loud()
print("end")
