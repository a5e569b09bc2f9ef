print("a\0b\0c")
