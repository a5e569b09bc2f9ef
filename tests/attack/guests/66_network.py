import socket, sys
import kit

def connect(family, address):
    one = socket.socket(family, socket.SOCK_STREAM)
    one.settimeout(1)
    one.connect(address)

kit.report(
    metadata=kit.tried(connect, socket.AF_INET, ("169.254.169.254", 80)),
    localhost=kit.tried(connect, socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))),
    localhost6=kit.tried(connect, socket.AF_INET6, ("::1", int(sys.argv[1]))),
    dns=kit.tried(socket.getaddrinfo, "example.com", 80),
    raw=kit.tried(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1),
)
