import os, sys
import kit

wanted = int(sys.argv[1])
made, stopped = 0, "OK"
while made < wanted and stopped == "OK":
    stopped = kit.tried(lambda: os.close(os.open(f"f{made}", os.O_CREAT | os.O_WRONLY)))
    made += stopped == "OK"
kit.report(made=made, stopped=stopped)
