print("the next job works")
