import sys

print(sys.executable, sys._base_executable, sys.prefix, sys.exec_prefix, sys.base_prefix)
print(sys.version, sys.implementation.cache_tag, sys.platform, sys.byteorder)
