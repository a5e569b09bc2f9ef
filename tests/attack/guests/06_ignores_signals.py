import signal, time

for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("deaf", flush=True)
while True:
    time.sleep(1)
