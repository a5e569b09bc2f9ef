x = [i for i in range(1000)]
y = {"a": x}
print(sum(x))
