# Two guests of one zygote and an abstract socket: argv is "wait" or "meet", and its name.
import socket, sys, time
import kit

name = "\0" + sys.argv[2]
if sys.argv[1] == "wait":
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as two:
        facts = dict(listening=kit.tried(lambda: (one.bind(name), one.listen())), bound=kit.tried(two.bind, name + "d"))
        time.sleep(1)
        two.setblocking(False)
        facts["heard"] = kit.tried(two.recv, 1)
    kit.report(**facts)
else:
    one, two = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    kit.report(connect=kit.tried(one.connect, name), sendto=kit.tried(two.sendto, b"x", name + "d"),
               listed=sys.argv[2] in kit.reads("/proc/net/unix"), same_name=kit.tried(two.bind, name + "d"))
