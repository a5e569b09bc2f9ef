import _xxsubinterpreters as interpreters

i = interpreters.create()
interpreters.run_string(i, "import sys; print(__name__, sys.argv, flush=True)")
interpreters.destroy(i)
