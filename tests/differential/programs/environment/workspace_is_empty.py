import os

print(os.listdir("."), os.path.exists("/code/main.py"), os.path.getsize("/code/main.py"))
