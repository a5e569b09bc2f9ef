import sqlite3

db = sqlite3.connect("/workspace/x.db")
db.execute("create table t (x)")
db.commit()
db.execute("insert into t values (1)")
print(db.in_transaction)
