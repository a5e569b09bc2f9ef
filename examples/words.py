"""Reads a file that was handed in, writes two that are handed back: --file data.txt --out DIR."""
import collections
import json
import re

with open("data.txt", encoding="utf-8") as text:
    words = collections.Counter(re.findall(r"[a-z]+", text.read().lower()))

with open("words.json", "w", encoding="utf-8") as out:
    json.dump(dict(words.most_common(3)), out)
with open("total.txt", "w", encoding="utf-8") as out:
    out.write(f"{sum(words.values())}\n")
print(f"{len(words)} different words")
