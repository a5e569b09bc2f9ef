"""Tracebacks without the frames of the session itself, wherever in them those stand."""
import os
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))


def _related(trace):
    """The exceptions that are shown with this one: its cause, its context, the members of a group."""
    for other in (trace.__cause__, trace.__context__, *(getattr(trace, "exceptions", None) or ())):
        if other is not None:
            yield other


def format_problem(problem):
    """As traceback.format_exception()."""
    whole = traceback.TracebackException(type(problem), problem, problem.__traceback__)
    waiting = [whole]
    seen = set()
    while waiting:
        trace = waiting.pop()
        if id(trace) in seen:
            continue
        seen.add(id(trace))
        trace.stack[:] = [frame for frame in trace.stack if not frame.filename.startswith(HERE)]
        waiting += _related(trace)
    return list(whole.format())
