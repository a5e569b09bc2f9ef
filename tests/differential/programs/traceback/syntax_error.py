print("never printed")
if True print("x")
