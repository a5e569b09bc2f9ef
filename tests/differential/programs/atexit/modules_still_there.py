import atexit
import json
import sys


@atexit.register
def look():
    print(json.dumps([1]), "json" in sys.modules, __name__, sys.is_finalizing())
