code = """
def g():
    return eval("1 / 0")
g()
"""
exec(compile(code, "<generated>", "exec"))
