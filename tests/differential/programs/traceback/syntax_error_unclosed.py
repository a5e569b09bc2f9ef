values = [1, 2,
print("the bracket above is open")
