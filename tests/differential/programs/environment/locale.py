import locale
import sys

print(locale.getlocale(), locale.getpreferredencoding(), locale.setlocale(locale.LC_ALL))
print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
print(locale.localeconv())
