#: only = "cold"
#: [env]
#: LC_ALL = "C"
import locale
import sys

print(locale.setlocale(locale.LC_ALL, ""), sys.getfilesystemencoding(), sys.stdout.encoding)
