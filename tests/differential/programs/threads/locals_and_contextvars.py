import contextvars
import threading

local = threading.local()
local.x = 1
var = contextvars.ContextVar("v", default=0)
var.set(5)


def work():
    print(hasattr(local, "x"), var.get())


thread = threading.Thread(target=work)
thread.start()
thread.join()
print(local.x, var.get())
