import subprocess
import warnings

warnings.simplefilter("always")
p = subprocess.Popen(["/bin/true"])
