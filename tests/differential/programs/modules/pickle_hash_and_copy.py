import copy
import hashlib
import pickle
import zlib

data = {"k": [1, (2, 3)], "s": {1}}
print(copy.deepcopy(data) == pickle.loads(pickle.dumps(data)))
print(hashlib.blake2b(b"x").hexdigest()[:16], zlib.crc32(b"x"))
