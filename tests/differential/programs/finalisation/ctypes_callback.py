import ctypes

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
double = CALLBACK(lambda x: x * 2)
print(double(21))
libc = ctypes.CDLL(None)
libc.printf(b"from printf, in libc's own buffer\n")
