x = 1
print(x is 1, "\d")
assert (x, "always true")
