import os
import kit

facts = {}
for name in ("passwd", "group", "hosts", "resolv.conf", "nsswitch.conf", "ld.so.preload", "ld.so.cache"):
    facts[name] = kit.opens_for_writing("/etc/" + name, os.O_CREAT | os.O_TRUNC)
kit.report(**facts)
