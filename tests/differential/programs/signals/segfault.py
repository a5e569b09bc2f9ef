import ctypes

print("lost")
ctypes.string_at(0)
