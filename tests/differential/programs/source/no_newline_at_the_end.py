print("first")
print("no newline")