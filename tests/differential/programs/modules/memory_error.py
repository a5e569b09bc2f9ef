try:
    x = bytearray(1 << 62)
except (MemoryError, OverflowError) as error:
    print(type(error).__name__)
