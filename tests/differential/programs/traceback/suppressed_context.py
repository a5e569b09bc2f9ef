try:
    {}["missing"]
except KeyError:
    raise LookupError("hidden cause") from None
