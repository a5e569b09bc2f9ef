import tempfile
import warnings

warnings.simplefilter("always")
t = tempfile.TemporaryDirectory(prefix="fixed", dir="/workspace")
t.cleanup()
print("cleaned")
