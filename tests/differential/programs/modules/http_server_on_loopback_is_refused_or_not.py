#: only = "guests"
import socket

try:
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    print("bound")
except OSError as error:
    print(error)
