import os
import random
import secrets
import uuid

print(len({random.random() for _ in range(100)}), len(os.urandom(16)), len(secrets.token_hex()))
print(uuid.uuid4().version, uuid.uuid5(uuid.NAMESPACE_DNS, "x"))
