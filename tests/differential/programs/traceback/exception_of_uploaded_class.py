#: [files]
#: "errors.py" = "class Custom(Exception):\n    pass\n"
from errors import Custom


class Local(Custom):
    pass


try:
    raise Custom("a")
except Custom:
    raise Local("b")
