try:
    {}["missing"]
except KeyError:
    [][3]
