print(dir())
print(sorted(globals()))
