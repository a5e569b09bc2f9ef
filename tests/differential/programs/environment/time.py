import time

print(time.tzname, time.timezone, time.localtime(0).tm_hour, time.strftime("%c", time.gmtime(0)))
