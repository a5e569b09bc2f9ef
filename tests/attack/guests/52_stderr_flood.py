import os

for _ in range(64):
    os.write(2, b"e" * (1 << 20))
print("and out", flush=True)
