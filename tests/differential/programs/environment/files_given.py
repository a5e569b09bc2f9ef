#: [files]
#: "data/in.csv" = "a,b\n1,2\n"
#: "notes.txt" = "hello"
import os

for root, dirs, files in sorted(os.walk(".")):
    print(root, sorted(dirs), sorted(files))
print(open("data/in.csv").read())
open("data/in.csv", "a").write("3,4\n")
open("data/out.csv", "w").write("x\n")
