import threading

threading._register_atexit(print, "before the interpreter waits for threads")
print("main")
