import sqlite3


class Loud:
    def __call__(self, x):
        return x + 1

    def __del__(self):
        print("function released")


db = sqlite3.connect(":memory:")
db.create_function("inc", 1, Loud())
print(db.execute("select inc(41)").fetchone())
