import socket, sys
import kit

name = "\0" + sys.argv[1]
facts = {}
for kind, number in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM)):
    try:
        one = socket.socket(socket.AF_UNIX, number)
    except OSError as error:
        facts[kind] = kit.errno.errorcode[error.errno]
        continue
    facts[kind] = kit.tried(one.connect, name + kind)
    if kind == "datagram":
        facts["sendto"] = kit.tried(one.sendto, b"x", name + kind)
facts["listed"] = sys.argv[1] in kit.reads("/proc/net/unix")
kit.report(**facts)
