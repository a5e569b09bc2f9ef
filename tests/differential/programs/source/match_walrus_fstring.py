def kind(value):
    match value:
        case {"type": t, **rest}:
            return f"{t=} {rest!r:>10}"
        case [first, *_]:
            return first
    return None


if (n := kind({"type": 1, "x": 2})) is not None:
    print(n, kind([7, 8]))
