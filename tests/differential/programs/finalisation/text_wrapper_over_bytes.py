import io

raw = open("/workspace/wrapped.txt", "wb")
text = io.TextIOWrapper(raw, encoding="utf-16")
text.write("wrapped")
