import sys

sys.stderr.close()
raise ValueError("nowhere to say it")
