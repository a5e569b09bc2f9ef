import selectors
import socket

a, b = socket.socketpair()
s = selectors.DefaultSelector()
s.register(a, selectors.EVENT_READ)
b.send(b"x")
print(len(s.select(0)))
