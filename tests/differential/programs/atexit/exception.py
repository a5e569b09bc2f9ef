import atexit

atexit.register(print, "still runs")


@atexit.register
def fail():
    raise ValueError("in atexit")


print("main")
