import importlib.util

for name in ("json", "main", "__main__", "helper"):
    try:
        print(name, importlib.util.find_spec(name))
    except ValueError as error:
        print(name, error)
