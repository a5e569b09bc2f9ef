Quiet = type("Quiet", (), {"__del__": lambda self: print("dynamic class del")})
q = Quiet()
print("end")
