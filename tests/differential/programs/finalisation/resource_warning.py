import warnings

warnings.simplefilter("always")
f = open("/workspace/a.txt", "w")
f.write("x")
print("end")
