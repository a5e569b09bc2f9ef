import logging
import logging.handlers

logging.basicConfig(filename="/workspace/log.txt", format="%(levelname)s %(message)s")
memory = logging.handlers.MemoryHandler(100, target=logging.FileHandler("/workspace/mem.txt"))
logging.getLogger().addHandler(memory)
logging.warning("flushed by shutdown")
