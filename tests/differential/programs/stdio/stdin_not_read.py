#: stdin = "0123456789abcdef0123456789abcde\n"
#: stdin_times = 32768
print("not interested")
