print(list(globals()))
print(list(vars(__import__("__main__"))))
