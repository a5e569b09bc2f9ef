"""Values in the forms in which people want to see them."""
import base64
import json
import sys

from cove_session import frames

LARGEST_TEXT = 1 << 20  # characters of repr()
LARGEST_FORM = 6 << 20  # bytes of one form, encoded

METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
}


def plain(value):
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # a repr of the user's own
        text = f"<{type(value).__name__} whose repr() failed: {type(problem).__name__}>"
    if len(text) > LARGEST_TEXT:
        text = f"{text[:LARGEST_TEXT]}… ({len(text)} characters)"
    return clean(text)


def clean(text):
    """Without lone surrogates, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode()


def encode(kind, data):
    if isinstance(data, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(data)).decode()
    if isinstance(data, str):
        return clean(data)
    if kind.endswith("json"):
        return json.dumps(data)
    return clean(str(data))


def _call(value, name, *args):
    # Looked up on the type's instance, but not on classes: a class has the method of its instances.
    if isinstance(value, type):
        return None
    method = getattr(value, name, None)
    if not callable(method):
        return None
    try:
        return method(*args)
    except NotImplementedError:
        return None
    except Exception as problem:
        sys.stderr.write("".join(frames.format_problem(problem)))
        return None


def _is_figure(value):
    figure = sys.modules.get("matplotlib.figure")
    return figure is not None and isinstance(value, figure.Figure)


def figure_png(figure):
    import io

    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return out.getvalue()


def forms(value):
    """{mime type: text}; binary forms are base64."""
    found = {}
    bundle = _call(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple):
        bundle = bundle[0]
    if isinstance(bundle, dict):
        found.update(bundle)
    for method, kind in METHODS.items():
        data = found.get(kind) or _call(value, method)
        if isinstance(data, tuple):
            data = data[0]
        if data is not None:
            found[kind] = data
    if _is_figure(value) and "image/png" not in found:
        found["image/png"] = figure_png(value)
    return bounded({"text/plain": found.pop("text/plain", None) or plain(value), **found})


def bounded(data):
    out, total = {}, 0
    for kind, content in data.items():
        try:
            text = encode(kind, content)
        except (TypeError, ValueError) as problem:
            print(f"display: {kind} was left out: {problem}", file=sys.stderr)
            continue
        total += len(text.encode())
        if total > LARGEST_FORM:
            print(f"display: {kind} was left out: too large", file=sys.stderr)
            total -= len(text.encode())
            continue
        out[kind] = text
    return out
