import os

print(os.environ)
print(sorted(os.environb))
