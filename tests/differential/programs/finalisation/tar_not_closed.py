import io
import tarfile

t = tarfile.open("/workspace/x.tar", "w")
info = tarfile.TarInfo("a")
info.size = 3
t.addfile(info, io.BytesIO(b"abc"))
print("end")
