import json


class Loud:
    def __del__(self):
        print("del on json")


json.extra = Loud()
print("end")
