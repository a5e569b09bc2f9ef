import zipfile

z = zipfile.ZipFile("/workspace/x.zip", "w")
z.writestr(zipfile.ZipInfo("a.txt", (2000, 1, 1, 0, 0, 0)), "content")
print("end")
