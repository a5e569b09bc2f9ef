def g():
    try:
        yield 1
    finally:
        print("generator finally")


it = g()
next(it)
print("end")
