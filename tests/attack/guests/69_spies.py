# Looks for another guest's file: by the path given, and through every process that can be seen.
import os, sys
import kit

guess = sys.argv[1]
facts = dict(
    read=kit.reads(guess + "/workspace/secret"),
    listing=kit.tried(os.listdir, guess + "/workspace"),
    unlink=kit.tried(os.unlink, guess + "/workspace/secret"),
    rename=kit.tried(os.rename, guess + "/workspace", guess + "/elsewhere"),
    make=kit.opens_for_writing(guess + "/workspace/planted", os.O_CREAT),
    append=kit.opens_for_writing(guess + "/workspace/secret"),
    chmod=kit.tried(os.chmod, guess + "/workspace/secret", 0o777),
)
found = []
for pid in list(range(1, 50)) + list(range(max(50, os.getpid() - 400), os.getpid() + 100)):
    for way in ("cwd/secret", "root/workspace/secret"):
        try:
            with open(f"/proc/{pid}/{way}") as file:
                found.append(file.read())
        except OSError:
            pass
kit.report(found=found, **facts)
