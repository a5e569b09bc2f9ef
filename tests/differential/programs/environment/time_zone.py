#: only = "cold"
#: [env]
#: TZ = "Asia/Tokyo"
import datetime
import time

print(time.tzname, datetime.datetime.fromtimestamp(0))
