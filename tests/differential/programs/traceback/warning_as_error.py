import warnings

warnings.simplefilter("error")
warnings.warn("fatal now")
