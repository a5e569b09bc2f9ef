data = {"a": {"b": None}}
print(data["a"]["b"]["c"]["d"])
