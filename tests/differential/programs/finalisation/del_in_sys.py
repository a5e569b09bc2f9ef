import sys


class Loud:
    def __del__(self):
        print("del on sys")


sys.loud = Loud()
print("end")
