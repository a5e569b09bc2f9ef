import datetime

print(datetime.datetime(2020, 2, 29, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=366))
