import builtins

print(dir(builtins))
