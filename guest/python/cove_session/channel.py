"""The socket to Cove: verbs come in, frames of JSON go out."""
import array
import json
import os
import socket
import threading

CONTROL = 3
LARGEST_FRAME = 8 << 20


class Closed(Exception):
    """Cove has gone, or has dropped this interpreter."""


class Channel:
    def __init__(self):
        self._socket = socket.socket(fileno=CONTROL)
        os.set_inheritable(CONTROL, False)
        self._buffer = b""
        self._fds = []
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def _fill(self):
        room = socket.CMSG_SPACE(8 * array.array("i").itemsize)
        data, extra, _, _ = self._socket.recvmsg(1 << 16, room, socket.MSG_CMSG_CLOEXEC)
        for level, kind, payload in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(payload[: len(payload) - len(payload) % numbers.itemsize])
                self._fds += numbers
        if not data:
            raise Closed
        self._buffer += data

    def receive(self):
        """The next order: verb, number, body, and the descriptors that came with it."""
        while b"\n" not in self._buffer:
            self._fill()
        line, self._buffer = self._buffer.split(b"\n", 1)
        verb, number, size = line.split()
        parts, missing = [self._buffer], int(size) - len(self._buffer)
        while missing > 0:
            self._buffer = b""
            self._fill()
            parts.append(self._buffer)
            missing -= len(self._buffer)
        data = b"".join(parts)
        body, self._buffer = data[: int(size)], data[int(size) :]
        fds, self._fds = self._fds, []
        return verb.decode(), int(number), body.decode("utf-8", "replace"), fds

    def send(self, kind, **fields):
        if os.getpid() != self._owner:
            return  # a child that a cell forked: not the session
        text = json.dumps({"type": kind, **fields}).encode()
        if len(text) > LARGEST_FRAME:
            raise ValueError(f"larger than {LARGEST_FRAME >> 20} MiB")
        with self._lock:
            self._socket.sendall(b"%d\n%b" % (len(text), text))

    def become(self, fd):
        """After a fork: the new process speaks through a socket of its own."""
        self._socket.detach()
        os.dup2(fd, CONTROL, inheritable=False)
        if fd != CONTROL:
            os.close(fd)
        self._socket = socket.socket(fileno=CONTROL)
        self._lock = threading.Lock()
        self._owner = os.getpid()
