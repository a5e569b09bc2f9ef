"""A container image of this host's own Python, so that tests need no download and no engine.

python_image.py FILE writes a `docker save` archive: the interpreter with its libraries, a shell and a few commands in
one layer, the standard library in another, a whiteout in the third.
"""
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile

PYTHON = os.path.realpath("/usr/bin/python3")
SHELL = "/usr/bin/dash"
COMMANDS = ["/usr/bin/cat", "/usr/bin/grep", "/usr/bin/id"]  # what programs of the suites call
LEFT_OUT = {"test", "idlelib", "tkinter", "lib2to3", "ensurepip", "turtledemo", "dist-packages"}


def libraries_of(programs):
    """What the dynamic linker would load, and the linker itself."""
    found = set()
    for program in programs:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        found.update(re.findall(r"(/\S+) \(0x", listed.stdout))
    return sorted(found)


class Layer:
    def __init__(self):
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.PAX_FORMAT)
        self.known = set()

    def add(self, path, name=None):
        """The file that `path` leads to, under its own name, its directories not named."""
        name = (name or path).lstrip("/")
        if name not in self.known:
            self.known.add(name)
            with open(os.path.realpath(path), "rb") as file:
                self.text(name, file.read(), os.stat(path).st_mode & 0o777, int(os.stat(path).st_mtime))

    def text(self, name, content=b"", mode=0o644, mtime=0):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = len(content), mode, mtime
        self.tar.addfile(entry, io.BytesIO(content))

    def link(self, name, target):
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = tarfile.SYMTYPE, target
        self.tar.addfile(entry)

    def directory(self, name):
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, 0o755
        self.tar.addfile(entry)

    def finish(self):
        self.tar.close()
        return self.bytes.getvalue()


def base_layer(extensions):
    layer = Layer()
    for name in ("usr", "usr/bin", "usr/lib", "usr/lib64", "srv", "opt"):
        layer.directory(name)
    for name in ("bin", "lib", "lib64"):
        layer.link(name, "usr/" + name)
    for library in libraries_of([PYTHON, SHELL, *COMMANDS, *extensions]):
        if library.startswith("/lib"):
            library = "/usr" + library  # /lib is a link to it, here as there
        layer.add(library)
    layer.add(PYTHON)
    layer.link("usr/bin/python3", os.path.basename(PYTHON))
    for program in (SHELL, *COMMANDS):
        layer.add(program)
    layer.link("usr/bin/sh", "dash")
    layer.text("etc/hidden-later", b"1")
    layer.text("usr/setuid-tool", b"#!/bin/sh\n", 0o4755)
    layer.text("opt/only-in-the-image", b"from the image\n")
    return layer.finish()


def library_layer(standard):
    layer = Layer()
    for directory, below, files in os.walk(standard):
        below[:] = sorted(name for name in below
                          if name not in LEFT_OUT and not name.startswith("config-"))
        for name in sorted(files):
            layer.add(os.path.join(directory, name))
    return layer.finish()


def top_layer():
    layer = Layer()
    layer.text("etc/.wh.hidden-later")
    device = tarfile.TarInfo("opt/null")
    device.type, device.devmajor, device.devminor = tarfile.CHRTYPE, 1, 3
    layer.tar.addfile(device)
    return layer.finish()


def layers():
    # Of Debian's Python, whichever runs this.
    standard = subprocess.run([PYTHON, "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"],
                              capture_output=True, text=True, check=True).stdout.strip()
    loaded = os.path.join(standard, "lib-dynload")
    extensions = [os.path.join(loaded, name) for name in os.listdir(loaded)]
    return [base_layer(extensions), library_layer(standard), top_layer()]


def config_of(contents):
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return json.dumps({
        "os": "linux", "architecture": machine,
        "config": {"Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "IMAGE_SAYS=hello", "LD_PRELOAD=/evil.so"],
                   "Cmd": ["python3"], "WorkingDir": "/opt"},
        "rootfs": {"type": "layers",
                   "diff_ids": ["sha256:" + hashlib.sha256(one).hexdigest() for one in contents]},
    }).encode()


def write_archive(path, name="cove-test/python:host"):
    contents = layers()
    config = config_of(contents)
    names = [f"{index}/layer.tar" for index in range(len(contents))]
    manifest = [{"Config": hashlib.sha256(config).hexdigest() + ".json", "RepoTags": [name],
                 "Layers": names}]
    with tarfile.open(path, "w") as archive:
        for member, content in [*zip(names, contents), (manifest[0]["Config"], config),
                                ("manifest.json", json.dumps(manifest).encode())]:
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    write_archive(sys.argv[1])
