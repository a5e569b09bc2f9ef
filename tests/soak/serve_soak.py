#!/usr/bin/python3
"""A server that has served many requests of every outcome holds no more than one that served few.

    serve_soak.py [--requests N] [--minutes M] [--threads T]

Ends after N requests or M minutes, whichever comes first. Before and after, at rest, it looks at the
server's descriptors, memory, threads, child processes, control groups, mounts and temporary entries.
Every answer is checked. Needs COVE_COMMAND, or build/release/bin/cove.
"""
import argparse
import collections
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

COVE = os.environ.get("COVE_COMMAND", "build/release/bin/cove")
WARM_UP = 400
# The executor keeps at most so many empty control groups for guests to come (kSpareGroups in
# warm_pool.cc); how many it has depends on how many guests once were at work together. Besides
# them there are those of waiting guests: pool_size, and one that is just being made.
MOST_GROUPS = 64 + 4 + 1
# Each has open files (of cgroup v1: three to join, memory, processor time and kills) and an event.
MOST_FILES_OF_A_GROUP = 10
OTHER_EVENTS = 4  # of the server itself
ALLOWED_MEMORY = 24 << 20


class Wrong(Exception):
    pass


def expect(condition, answer):
    if not condition:
        raise Wrong(str(answer)[:400])


class Caller:
    """One keep-alive connection."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def ask(self, method, path, body=None, headers=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        if isinstance(body, dict):
            body = json.dumps(body)
        for _ in range(600):
            self.connection.request(method, path, body, headers or {})
            response = self.connection.getresponse()
            text = response.read()
            if response.getheader("Connection", "").lower() == "close":
                self.drop()
            if response.status != 429:
                return response.status, text
            time.sleep(0.05)  # a full queue is an answer too; Retry-After counts whole seconds
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        raise Wrong("429 without end")

    def run(self, code, **fields):
        status, text = self.ask("POST", "/execute", {"code": code, "language": "python", **fields})
        expect(status == 200, (status, text))
        return json.loads(text)

    def drop(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def success(caller, index):
    result = caller.run(f"print({index} * 2)")
    expect(result["stdout"] == f"{index * 2}\n" and result["exit_code"] == 0, result)


def exception(caller, _):
    result = caller.run("{}['missing']")
    expect(result["exit_code"] == 1 and "KeyError" in result["stderr"], result)


def exit_code(caller, index):
    expect(caller.run(f"exit({1 + index % 100})")["exit_code"] == 1 + index % 100, index)


def killed(caller, _):
    expect(caller.run("import os; os.kill(os.getpid(), 9)").get("signal") == "SIGKILL", "signal")


def files(caller, index):
    status, text = caller.ask("POST", "/v1/executions", {
        "language": "python", "code": "open('out', 'w').write(open('in').read() * 2)",
        "files": [{"name": "in", "content": "YWI="}]})
    expect(status == 200, text)
    identity = json.loads(text)["id"]
    status, content = caller.ask("GET", f"/v1/executions/{identity}/files/out")
    expect((status, content) == (200, b"abab"), (index, status, content))


def timeout(caller, _):
    result = caller.run("while True: pass", timeout_ms=60)
    expect(result["status"] == "timeout", result)


def out_of_memory(caller, _):
    result = caller.run("x = []\nwhile True: x.append(bytearray(1 << 20))", limits={"memory": "32m"})
    expect(result["status"] == "oom" or "MemoryError" in result["stderr"], result)


def flood(caller, _):
    result = caller.run("import sys\nfor _ in range(64): sys.stdout.write('x' * 65536)",
                        limits={"stdout_bytes": 65536})
    expect(result["stdout_truncated"] and len(result["stdout"]) == 65536, result["status"])


def malformed(caller, _):
    status, text = caller.ask("POST", "/execute", "{")
    expect(status == 400 and b"invalid_request" in text, text)


def unknown_language(caller, _):
    expect(caller.ask("POST", "/execute", {"code": "x", "language": "cobol"})[0] == 422, "status")


def nowhere(caller, index):
    expect(caller.ask("GET", f"/v1/executions/exec_{index}")[0] == 404, "status")


def streamed(caller, index):
    status, text = caller.ask("POST", "/v1/executions?stream=sse",
                              {"code": f"print({index})", "language": "python"})
    expect(status == 200 and text.startswith(b"event: started") and b"event: result" in text, text)


def in_background(caller, index):
    status, text = caller.ask("POST", "/v1/executions?async=true",
                              {"code": f"print({index})", "language": "python"})
    expect(status == 202, text)
    path = "/v1/executions/" + json.loads(text)["id"]
    for _ in range(400):
        record = json.loads(caller.ask("GET", path)[1])
        if record["state"] in ("done", "failed"):
            break
        time.sleep(0.02)
    expect(record.get("result", {}).get("stdout") == f"{index}\n", record)


def cancelled(caller, _):
    status, text = caller.ask("POST", "/v1/executions?async=true",
                              {"code": "import time; time.sleep(30)", "language": "python"})
    expect(status == 202, text)
    status, text = caller.ask("DELETE", "/v1/executions/" + json.loads(text)["id"])
    expect(status == 200, text)


def goes_away(caller, _):
    """The client hangs up while its program runs."""
    caller.drop()
    connection = http.client.HTTPConnection("127.0.0.1", caller.port, timeout=90)
    body = json.dumps({"code": "import time; time.sleep(20)", "language": "python"})
    connection.request("POST", "/execute", body)
    time.sleep(0.03)
    connection.close()


def session(caller, index):
    status, text = caller.ask("POST", "/v1/sessions", {"language": "python"})
    expect(status == 201, text)
    path = "/v1/sessions/" + json.loads(text)["id"]
    status, text = caller.ask("POST", path + "/execute", {"code": f"x = {index}"})
    expect(status == 200, text)
    status, text = caller.ask("POST", path + "/fork")
    expect(status == 201, text)
    branch = "/v1/sessions/" + json.loads(text)["id"]
    status, text = caller.ask("POST", branch + "/execute", {"code": "print(x)"})
    expect(json.loads(text)["stdout"] == f"{index}\n", text)
    expect(caller.ask("DELETE", path)[0] == 204, "delete")
    expect(caller.ask("DELETE", branch)[0] == 204, "delete")


KINDS = [(success, 80), (exception, 24), (exit_code, 20), (killed, 8), (files, 14), (timeout, 4),
         (out_of_memory, 2), (flood, 4), (malformed, 12), (unknown_language, 8), (nowhere, 8),
         (streamed, 14), (in_background, 6), (cancelled, 4), (goes_away, 3), (session, 3)]
TOTAL = sum(share for _, share in KINDS)


def kind_of(index):
    at = index * 77 % TOTAL  # mixed, not in rows
    for kind, share in KINDS:
        if at < share:
            return kind
        at -= share
    raise AssertionError("unreachable")


class Footprint:
    """What a process holds, at rest."""

    def __init__(self, pid):
        proc = f"/proc/{pid}"
        self.groups = len(self.group_names(pid))
        self.counts = {
            "descriptors": self.look_at_descriptors(f"{proc}/fd"),
            "threads": len(os.listdir(f"{proc}/task")),
            "processes": len(self.descendants(pid)),
            "mounts": sum(1 for _ in open(f"{proc}/mountinfo", encoding="utf-8")),
            "temporary entries": sum(name.startswith(f"cove-{pid}-")
                                     for name in os.listdir(tempfile.gettempdir())),
        }
        with open(f"{proc}/statm", encoding="utf-8") as file:
            self.memory = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    @staticmethod
    def descendants(pid):
        found, todo = [], [pid]
        while todo:
            current = todo.pop()
            try:
                for task in os.listdir(f"/proc/{current}/task"):
                    with open(f"/proc/{current}/task/{task}/children", encoding="utf-8") as file:
                        children = [int(word) for word in file.read().split()]
                    found += children
                    todo += children
            except OSError:
                pass
        return found

    def look_at_descriptors(self, directory):
        """Sorts them: those of control groups, by group; events; the rest."""
        self.group_files, self.events, rest = collections.Counter(), 0, 0
        for name in os.listdir(directory):
            try:
                target = os.readlink(f"{directory}/{name}")
            except OSError:
                continue
            if target.startswith("/sys/fs/cgroup"):
                self.group_files[target.rsplit("/", 2)[1]] += 1
            elif target == "anon_inode:[eventfd]":
                self.events += 1
            else:
                rest += 1
        return rest

    def unbounded(self, pid):
        """What is wrong with the descriptors that depend on the number of control groups."""
        problems = []
        names = self.group_names(pid)
        if len(names) > MOST_GROUPS:
            problems.append(f"{len(names)} control groups, at most {MOST_GROUPS} are kept")
        for name, count in self.group_files.items():
            if name.startswith("cove-") and name not in names:
                problems.append(f"{count} open files of the control group {name}, which is gone")
            if count > MOST_FILES_OF_A_GROUP:
                problems.append(f"{count} open files of the control group {name}")
        if self.events > len(names) + OTHER_EVENTS:
            problems.append(f"{self.events} events for {len(names)} control groups")
        return problems

    @staticmethod
    def group_names(pid):
        return {name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names
                if name.startswith(f"cove-{pid}-")}

    def __str__(self):
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        held = sum(self.group_files.values())
        return (f"{counts}, {self.groups} control groups with {held} files, {self.events} events, "
                f"{self.memory / (1 << 20):.1f} MiB")


class Soak:
    def __init__(self, port, threads):
        self.port = port
        self.threads = threads
        self.problems = []
        self.lock = threading.Lock()

    def run(self, first, count, deadline):
        """Requests first to first + count; gives how many there were."""
        numbers = itertools.count(first)
        done = [0] * self.threads

        def work(slot):
            caller = Caller(self.port)
            while True:
                with self.lock:
                    index = next(numbers)
                if index >= first + count or time.monotonic() > deadline or len(self.problems) > 10:
                    break
                kind = kind_of(index)
                try:
                    kind(caller, index)
                except (Wrong, OSError, ValueError, KeyError, http.client.HTTPException) as problem:
                    caller.drop()
                    with self.lock:
                        self.problems.append(f"{kind.__name__} {index}: {problem!r}")
                done[slot] += 1
            caller.drop()

        workers = [threading.Thread(target=work, args=(slot,)) for slot in range(self.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return sum(done)


def at_rest(pid, port):
    """Waits until nothing runs and the counts stand still."""
    before, same = None, 0
    for _ in range(200):
        time.sleep(0.1)
        text = Caller(port).ask("GET", "/metrics")[1].decode()
        busy = any(line.split()[1] != "0" for line in text.splitlines()
                   if line.startswith(("cove_jobs_running ", "cove_jobs_queued ")))
        now = Footprint(pid).counts
        same = same + 1 if now == before and not busy else 0
        if same >= 8:
            break
        before = now
    return Footprint(pid)


def start(directory):
    server = subprocess.Popen(
        [COVE, "serve", "--dev", "--listen", "127.0.0.1:0", "--data-dir", f"{directory}/data",
         "--log", "off", "--history-size", "4m", "--file-size", "4m"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    if not line.startswith("listening on "):
        sys.exit("the server did not start: " + server.stderr.read())
    return server, int(line.rsplit(":", 1)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--threads", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cove-serve-soak.") as directory:
        server, port = start(directory)
        try:
            soak = Soak(port, options.threads)
            soak.run(0, WARM_UP, time.monotonic() + 120)
            before = at_rest(server.pid, port)
            print("before:", before, flush=True)
            begin = time.monotonic()
            count = soak.run(WARM_UP, options.requests, begin + options.minutes * 60)
            took = time.monotonic() - begin
            after = at_rest(server.pid, port)
            unbounded = after.unbounded(server.pid)
            print("after: ", after)
            print(f"{count} requests in {took:.0f} s")
        finally:
            server.terminate()
            code = server.wait(60)
    failures = soak.problems[:10]
    for name, number in after.counts.items():
        # Connections of the measuring itself come and go. A worker thread stays for each call that
        # ever waited at the same time as others: no more than there are callers.
        slack = {"descriptors": 2, "threads": options.threads}.get(name, 0)
        if number > before.counts[name] + slack:
            failures.append(f"{name}: {before.counts[name]} before, {number} after")
    failures += unbounded
    if after.memory - before.memory > ALLOWED_MEMORY:
        failures.append(f"memory grew by {(after.memory - before.memory) / (1 << 20):.1f} MiB")
    if code != 0:
        failures.append(f"the server ended with {code}")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


sys.exit(main())
