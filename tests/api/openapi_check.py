"""Checks answers against the OpenAPI document: as much of JSON Schema as it uses."""

import json
import os
import re

PATH = os.path.join(os.path.dirname(__file__), "../../src/api/openapi.json")
with open(PATH, encoding="utf-8") as _file:
    DOCUMENT = json.load(_file)

TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}


class Mismatch(AssertionError):
    pass


def resolve(node):
    while "$ref" in node:
        found = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def is_type(value, name):
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def check(value, schema, where="body"):
    schema = resolve(schema)
    known = {"type", "enum", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf",
             "pattern", "minimum", "maximum", "description", "default", "format", "examples"}
    if unknown := set(schema) - known:
        raise Mismatch(f"{where}: this checker does not know {unknown}")
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            raise Mismatch(f"{where}: {value!r} is not of type {names}")
    if "enum" in schema and value not in schema["enum"]:
        raise Mismatch(f"{where}: {value!r} is none of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise Mismatch(f"{where}: {value!r} does not match {schema['pattern']}")
    if "minimum" in schema and isinstance(value, (int, float)) and value < schema["minimum"]:
        raise Mismatch(f"{where}: {value!r} is too small")
    if "maximum" in schema and isinstance(value, (int, float)) and value > schema["maximum"]:
        raise Mismatch(f"{where}: {value!r} is too large")
    for word in ("anyOf", "oneOf"):
        if word in schema:
            check_alternatives(value, schema[word], where, exactly_one=word == "oneOf")
    if isinstance(value, dict):
        check_object(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            check(item, schema["items"], f"{where}[{number}]")


def check_alternatives(value, alternatives, where, exactly_one):
    problems = []
    for alternative in alternatives:
        try:
            check(value, alternative, where)
        except Mismatch as problem:
            problems.append(str(problem))
    fits = len(alternatives) - len(problems)
    if fits == 0 or (exactly_one and fits > 1):
        raise Mismatch(f"{where}: fits {fits} alternatives: {problems}")


def check_object(value, schema, where):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            raise Mismatch(f"{where}: {name} is missing")
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            check(item, properties[name], f"{where}.{name}")
        elif rest is False:
            raise Mismatch(f"{where}: {name} is not in the document")
        elif isinstance(rest, dict):
            check(item, rest, f"{where}.{name}")


# What the HTTP core answers by itself, before it knows or whatever it knows of the request.
CORE = (400, 408, 413, 417, 431, 501, 503, 505)


def find_path(path):
    """The path item of the document that a request's path belongs to."""
    path = path.split("?")[0]
    if path in DOCUMENT["paths"]:
        return DOCUMENT["paths"][path]
    for pattern, item in DOCUMENT["paths"].items():
        regex = re.sub(r"\{name\}", ".+", pattern)
        regex = re.sub(r"\{[a-z]+\}", "[^/]+", regex)
        if re.fullmatch(regex, path):
            return item
    return None


def check_error(answer):
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    if kind != "application/json":
        raise Mismatch(f"{answer.status}: an error is JSON, not {kind}")
    check(answer.json(), {"$ref": "#/components/schemas/Error"})


def check_answer(method, path, answer):
    """Raises Mismatch unless the document announces this answer."""
    item = find_path(path)
    if item is None:
        if answer.status not in (404, *CORE):
            raise Mismatch(f"{path} is not in the document, but was answered {answer.status}")
        check_error(answer)
        return
    operation = item.get("get" if method == "HEAD" else method.lower())
    if operation is None:
        if answer.status not in (405, *CORE):
            raise Mismatch(f"{method} {path} is not in the document, but was answered {answer.status}")
        check_error(answer)
        return
    response = operation["responses"].get(str(answer.status))
    if response is None:
        raise Mismatch(f"{method} {path}: the document has no {answer.status}: {answer.body[:300]}")
    if method == "HEAD":
        return
    content = resolve(response).get("content")
    if content is None:
        if answer.body:
            raise Mismatch(f"{method} {path}: {answer.status} should have no body")
        return
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    media = content.get(kind) or content.get("*/*")
    if media is None:
        raise Mismatch(f"{method} {path}: {answer.status} is {kind}, not one of {list(content)}")
    if kind == "application/json" and "*/*" not in content:
        check(answer.json(), media["schema"])
    if kind in ("application/x-ndjson", "text/event-stream"):
        for event in events_of(answer):
            check(event, {"$ref": "#/components/schemas/Event"}, "event")


def events_of(answer):
    text = answer.body.decode()
    if answer.headers["Content-Type"].startswith("text/event-stream"):
        found = []
        for block in text.split("\n\n"):
            if not block or block.startswith(":"):  # a comment: the stream is alive
                continue
            name, data = block.split("\n")
            event = json.loads(data.removeprefix("data: "))
            if name != "event: " + event["type"]:
                raise Mismatch(f"the event line says {name}, the event {event['type']}")
            found.append(event)
        return found
    return [json.loads(line) for line in text.splitlines()]
