"""Fails under examples/profiles/careful_python.toml, which makes errors of warnings."""
import warnings

warnings.warn("this way of doing it is going away", DeprecationWarning)
print("done")
