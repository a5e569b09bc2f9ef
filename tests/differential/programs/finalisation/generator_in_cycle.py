def g():
    me = yield
    try:
        yield me
    finally:
        print("cyclic generator finally")


it = g()
next(it)
it.send(it)
del it
print("end")
