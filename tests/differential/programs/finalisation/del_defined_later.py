class Plain:
    pass


x = Plain()
Plain.__del__ = lambda self: print("del added later")
print("end")
