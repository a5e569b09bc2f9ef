class A:
    pass


items = []
for i in range(100):
    a = A()
    a.me = a
    items.append(a)
print(len(items))
