größe = 3
π = 3.14
print(größe * π)
print(größe.ünbekannt)
