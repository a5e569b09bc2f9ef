print("hi")
1/0
