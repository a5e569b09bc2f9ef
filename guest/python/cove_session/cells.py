"""Running one cell: its code, the value of its last expression, what it displays, how it fails."""
import ast
import builtins
import linecache
import os
import sys
import types

from cove_session import frames, rich

AWAITS = 0x80 | 0x100 | 0x200  # a coroutine, or a generator of one
MOST_LINES = 200

main = types.ModuleType("__main__")
main.__builtins__ = builtins
channel = None
_future = 0
_loop = None


def display(*values, raw=False):
    """Shows values while the cell runs; with raw=True dictionaries of mime type to data."""
    for value in values:
        data = rich.bounded(dict(value)) if raw else rich.forms(value)
        channel.send("display", data=data)


def refuse_input(prompt=""):
    raise RuntimeError("input() is not available in a session: there is nobody to type")


def install(the_channel):
    global channel
    channel = the_channel
    sys.modules["__main__"] = main
    builtins.display = display
    builtins.input = refuse_input
    os.environ.setdefault("MPLBACKEND", "module://cove_session.figures")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")


def show_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        display(pyplot.figure(number))
    pyplot.close("all")


def _compile(code, name):
    """The cell as two code objects: its statements, and its last expression if there is one."""
    global _future
    flags = _future | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(code, name, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = compile(
            ast.Expression(tree.body.pop().value), name, "eval", flags, dont_inherit=True
        )
    body = compile(tree, name, "exec", flags, dont_inherit=True)
    _future |= body.co_flags & 0x1FF0000  # from __future__ import …, for the cells to come
    return body, last


def _evaluate(code):
    global _loop
    value = eval(code, main.__dict__)
    if not code.co_flags & AWAITS:
        return value
    if _loop is None:
        import asyncio

        _loop = asyncio.new_event_loop()
        asyncio.set_event_loop(_loop)
    return _loop.run_until_complete(value)


def describe(problem):
    try:
        lines = frames.format_problem(problem)
    except Exception:  # an exception whose own str() fails
        lines = [f"{type(problem).__name__}\n"]
    lines = [line for text in lines for line in text.rstrip("\n").split("\n")]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], "…", *lines[-MOST_LINES // 2 :]]
    try:
        value = str(problem)
    except Exception:
        value = ""
    return {
        "name": type(problem).__name__,
        "value": rich.clean(value[:10_000]),
        "traceback": [rich.clean(line[:2_000]) for line in lines],
    }


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass


def run(number, code, watch):
    """Runs a cell and reports. `watch` is on while an interrupt may end it."""
    name = f"<cell {number}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    owner = os.getpid()
    answer = {"ok": True}
    try:
        try:
            watch.on()
            body, last = _compile(code, name)
            _evaluate(body)
            value = _evaluate(last) if last is not None else None
            if value is not None and os.getpid() == owner:
                answer["value"] = rich.forms(value)
            show_figures()
        finally:
            watch.off()
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            answer = {"ok": False, "error": {**describe(leaving), "value": str(leaving.code)}}
    except BaseException as problem:
        watch.off()  # an interrupt can come on the way into the first off()
        answer = {"ok": False, "error": describe(problem)}
    _flush()
    if os.getpid() != owner:
        os._exit(0)  # a child that the cell forked came out at its end
    channel.send("done", number=number, **answer)
