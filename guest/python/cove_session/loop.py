"""The session's main loop: an order comes, an answer goes."""
import os
import signal

from cove_session import branch, cells
from cove_session.channel import Channel, Closed


class Watch:
    """Lets SIGINT end a cell, and nothing but a cell."""

    def __init__(self, channel):
        self._channel = channel
        self.off()

    def on(self):
        # A cell may have installed a handler of its own; each starts with the usual one, which has no
        # frame of ours: a program that prints where it was interrupted sees its own lines only.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._channel.send("started")

    def off(self):
        signal.signal(signal.SIGINT, _nothing_to_end)


def _nothing_to_end(number, frame):
    """Not SIG_IGN, which the programs that a cell starts would inherit."""


def main():
    channel = Channel()
    cells.install(channel)
    watch = Watch(channel)
    while True:
        try:
            verb, number, body, fds = channel.receive()
        except (Closed, OSError):
            os._exit(0)
        if verb == "cell":
            cells.run(number, body, watch)
        elif verb == "start":
            branch.settle(*body.split("\n"))
            channel.send("ready")
        elif verb == "fork":
            try:
                if branch.fork(channel, fds):
                    channel.send("ready")
            except (OSError, RuntimeError) as problem:
                for fd in fds:
                    os.close(fd)
                channel.send("refused", reason=str(problem))
