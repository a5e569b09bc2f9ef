import sys

print(sorted(sys.path_importer_cache))
print({path: finder.__class__.__name__ for path, finder in sys.path_importer_cache.items()})
