import atexit

atexit.register(print, "a")
atexit._run_exitfuncs()
print("b")
