# Every process makes more, as fast as it can. BOUND (if given) is the depth of the tree.
import os, sys, time

depth = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 30
print("lit", flush=True)
level = 0
while level < depth:
    try:
        os.fork()
    except OSError:
        pass
    level += 1
time.sleep(60)
