import contextvars


class Loud:
    def __del__(self):
        print("context value deleted")


var = contextvars.ContextVar("var")
var.set(Loud())
print("end")
