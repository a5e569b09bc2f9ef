import ctypes

CALLBACK = ctypes.CFUNCTYPE(None)
libc = ctypes.CDLL(None)
libc.puts(b"libc buffer")
print("python buffer")
