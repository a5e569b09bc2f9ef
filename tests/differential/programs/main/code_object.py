import sys

code = sys._getframe().f_code
print(code.co_filename, code.co_name, code.co_flags, code.co_firstlineno, code.co_consts[:2])
