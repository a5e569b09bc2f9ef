import time

with open("secret", "w") as file:
    file.write("the other guest's")
print("kept", flush=True)
time.sleep(2.5)
