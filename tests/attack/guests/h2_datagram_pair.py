# A datagram socket without connect or bind can still name its addressee.
import socket, sys
import kit

facts = {}
try:
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    facts["pair"] = "OK"
    facts["to_abstract"] = kit.tried(one.sendto, b"x", "\0" + sys.argv[1])
    facts["to_path"] = kit.tried(one.sendto, b"x", sys.argv[2])
except OSError as error:
    facts["pair"] = kit.errno.errorcode[error.errno]
for kind, number in (("stream", socket.SOCK_STREAM), ("seqpacket", socket.SOCK_SEQPACKET)):
    one, two = socket.socketpair(socket.AF_UNIX, number)
    facts[kind + "_to_path"] = kit.tried(one.sendto, b"x", 0, sys.argv[2])
    facts[kind + "_connect"] = kit.tried(one.connect, sys.argv[2])
kit.report(**facts)
