print("before")
1 / 0
