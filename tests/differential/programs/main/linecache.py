import linecache

print(repr(linecache.getline(__file__, 3)))
