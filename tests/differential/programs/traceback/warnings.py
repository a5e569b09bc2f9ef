import warnings

warnings.warn("take care")
warnings.warn("old", DeprecationWarning)
warnings.warn("take care")


def f():
    warnings.warn("of the caller", UserWarning, stacklevel=2)


f()
