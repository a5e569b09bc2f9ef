# Leaves something everywhere, or looks for what was left: argv[1].
import os, sys
import kit

places = {"/dev/shm", "/tmp", "/var/tmp", "/run", "/code", os.getcwd(), os.environ.get("TMPDIR", "/tmp"), os.environ["HOME"]}
if sys.argv[1] == "leave":
    written = []
    for place in places:
        if kit.tried(lambda: open(place + "/left-behind", "w").close()) == "OK":
            written.append(place)
    kit.report(written=sorted(written))
else:
    kit.report(found=[place for place in places if os.path.exists(place + "/left-behind")])
