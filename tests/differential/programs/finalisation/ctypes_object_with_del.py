import ctypes


class S(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]

    def __del__(self):
        print("del structure", self.x)


s = S(5)
