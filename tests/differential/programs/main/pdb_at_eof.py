#: stdin = "p 6 * 7\nwhere\nc\n"
import pdb

x = 1
pdb.set_trace()
print("continued")
