class Broken:
    ok = 1
    bad = ok / 0
