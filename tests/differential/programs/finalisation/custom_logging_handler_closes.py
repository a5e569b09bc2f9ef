import logging


class Handler(logging.Handler):
    def emit(self, record):
        print("emit", record.getMessage())

    def flush(self):
        print("flush")

    def close(self):
        print("close")
        super().close()


logging.getLogger().addHandler(Handler())
logging.error("x")
