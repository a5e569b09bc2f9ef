"""A matplotlib backend that shows figures as results of the cell. Loaded by matplotlib itself, when a
program first imports it (MPLBACKEND), so that a session without plots pays nothing for it."""
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FigureCanvas = FigureCanvasAgg
FigureManager = FigureManagerBase


def show(*args, **kwargs):
    from cove_session import cells

    cells.show_figures()
