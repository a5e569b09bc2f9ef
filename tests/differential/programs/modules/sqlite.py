import sqlite3

db = sqlite3.connect(":memory:")
db.executescript("create table t (a, b); insert into t values (1, 'x'), (2, 'y');")
print(db.execute("select sum(a), group_concat(b) from t").fetchall())
