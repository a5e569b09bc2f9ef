# Threads that compute without the interpreter's lock.
import hashlib, threading

def spin():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 200_000)

print("spinning", flush=True)
for _ in range(4):
    threading.Thread(target=spin).start()
