#!/usr/bin/python3
"""The folders of src/ may include only what lies below them, and libraries stay in their place.

An arrow that points upwards is how a layered program stops being one, and no compiler notices.
"""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent.parent / "src"

# What each folder may include besides itself. sandbox/ knows no language, no policy, no JSON of ours.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "policy": {"base", "model"},
    "sandbox": {"base"},
    "runtime": {"base", "model"},
    "image": {"base", "model"},
    "executor": {"base", "model", "policy", "sandbox", "runtime", "image"},
    "toolchain": {"base", "model", "policy", "runtime", "executor"},
    "tool": {"base", "model", "policy", "runtime", "executor"},
    "session": {"base", "model", "policy", "sandbox", "runtime", "executor"},
    "engine": {"base", "model", "policy", "executor", "session"},
    "api": {"base", "model", "policy", "runtime", "executor", "toolchain", "tool", "session", "engine"},
    "http": {"base"},
    # Of executor/ and session/ only plain data and interfaces: cove_client links neither.
    "client": {"base", "model", "executor", "session", "http"},
    "docker": {"base", "model", "policy", "runtime", "executor", "http"},
    "net": {
        "base", "model", "policy", "runtime", "image", "executor", "toolchain", "tool", "session", "engine", "api",
        "http", "client", "docker", "cli",
    },
    "cli": {"base", "model", "policy", "sandbox", "runtime", "image", "executor", "toolchain", "tool"},
}

# Third-party headers, and the only places that may include them.
LIBRARIES = {
    r"boost/json": ("base/",),
    r"boost/(asio|beast)": ("api/", "http/"),
    r"openssl/": ("engine/", "api/", "http/"),
    r"sqlite3\.h": ("engine/",),
    r"toml\+\+/": ("base/",),
    r"CLI/": ("cli/", "net/"),
    r"seccomp\.h": ("sandbox/",),
    r"zlib\.h": ("image/",),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def complaints_about(path, text):
    relative = path.relative_to(SRC).as_posix()
    folder = relative.split("/")[0]
    if folder not in ALLOWED:
        return [f"{relative}: folder '{folder}' is not in ALLOWED; say what it may include"]
    found = []
    for ours, theirs in INCLUDE.findall(text):
        if ours:
            target = ours.split("/")[0]
            if "/" not in ours or not (SRC / target).is_dir():
                if not (path.parent / ours).is_file() and "/" in ours:
                    found.append(f'{relative}: "{ours}" is not a path from src/')
                continue
            if target != folder and target not in ALLOWED[folder]:
                found.append(f'{relative}: {folder}/ must not include "{ours}"')
        for pattern, places in LIBRARIES.items():
            if theirs and re.match(pattern, theirs) and not relative.startswith(places or ("\0",)):
                where = " and ".join(places) or "nowhere yet"
                found.append(f"{relative}: <{theirs}> belongs in {where}")
    return found


def main():
    found, count = [], 0
    for path in sorted(SRC.rglob("*")):
        if path.suffix not in (".h", ".cc", ".c") or path.parent == SRC:
            continue  # src/cove.h is the umbrella: it includes everything public
        count += 1
        found += complaints_about(path, path.read_text(encoding="utf-8"))
    print("\n".join(found) if found else f"{count} files include in the right direction")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
