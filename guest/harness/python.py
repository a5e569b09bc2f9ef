"""Runs a harnessed program: python.py PROGRAM.

The program defines run(input). Its input is the JSON in input.json beside it; what it returns is printed
as JSON, compact, on a line of its own that is the last of stdout. Everything else that the program
prints stays as it is: what is in front of the newline before the value is exactly that.
"""

import atexit
import importlib.util
import json
import os
import sys


def without_own_frames(traceback):
    """The part of a traceback that begins in the program."""
    own = (__file__, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
    while traceback is not None and traceback.tb_frame.f_code.co_filename in own:
        traceback = traceback.tb_next
    return traceback


def load(program):
    spec = importlib.util.spec_from_file_location("main", program)
    module = importlib.util.module_from_spec(spec)
    sys.modules["main"] = module
    spec.loader.exec_module(module)
    return module


def call(module, value):
    run = getattr(module, "run", None)
    if run is None:
        sys.exit(f"{module.__file__}: the program has no `run`: the harness calls `def run(input)`")
    if not callable(run):
        sys.exit(
            f"{module.__file__}: the harness cannot call this `run`, of type {type(run).__name__}: "
            "it must be `def run(input)`"
        )
    result = run(value)
    if hasattr(result, "__await__"):
        import asyncio

        async def wait():
            return await result

        result = asyncio.run(wait())
    return result


def encode(value):
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        sys.exit(f"run(input) returned a value that JSON cannot express: {error}")


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(os.path.dirname(program), "input.json"), encoding="utf-8") as file:
        value = json.load(file)
    del sys.argv[0]
    sys.path[0] = os.path.dirname(program)
    stdout = sys.stdout  # the program may set another
    output = []

    # Registered first, so it runs last: after threads and the program's own exit handlers.
    @atexit.register
    def print_output():
        for line in output:
            stdout.write("\n" + line + "\n")
            stdout.flush()

    try:
        output.append(encode(call(load(program), value)))
    except SystemExit as leaving:
        # The last line would be taken for the value, and it is not.
        if leaving.code in (None, 0):
            sys.exit(f"{program}: ended before run(input) returned a value")
        raise
    except Exception as error:
        error.__traceback__ = without_own_frames(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


if __name__ == "__main__":
    main()
