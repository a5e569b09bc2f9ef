import atexit

for i in range(4):
    atexit.register(print, "handler", i)
print("main")
