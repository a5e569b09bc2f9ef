import sys


class Fake:
    def __del__(self):
        print("module object goes")


sys.modules["fake"] = Fake()
print("end")
