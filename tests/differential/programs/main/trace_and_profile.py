import sys
import threading

print(sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile())
print(sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth())
