"""An image with nothing but the host's shell in it: small enough to be sent around."""

import io
import re
import subprocess
import tarfile


def archive():
    """Its root file system, as a tar archive."""
    shell = "/bin/dash"
    said = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", dereference=True) as tar:
        def add(path, name):
            entry = tar.gettarinfo(path, name)
            entry.uid = entry.gid = 0
            with open(path, "rb") as file:
                tar.addfile(entry, file)
        add(shell, "bin/sh")
        for library in re.findall(r"/\S+", said):
            add(library, library.lstrip("/"))
    return out.getvalue()
