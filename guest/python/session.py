"""The interpreter of a Python session: runs cells that Cove sends, and keeps their state.

This is the untrusted side: a cell can change everything here, and Cove believes nothing of it.
What cells define lives in a module of its own that is `__main__` to them, to pickle and to inspect.
"""
import os
import sys

sys.dont_write_bytecode = True
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = ""  # as in an interactive interpreter: the working directory
sys.path.append(_here)

from cove_session import loop  # noqa: E402

loop.main()
