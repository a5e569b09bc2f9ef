import logging

logging.warning("last resort")
logging.basicConfig()
logging.error("with handler")
logging.getLogger("x").exception("no exception")
