#include "cli/doctor_proofs.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "model/names.h"

namespace cove {

namespace {

using std::chrono::milliseconds;

// Each program prints ESCAPED when it got what it must not get, and HELD with the reason when it
// was stopped. `judge` may look at more than that.
struct Attack {
  std::string_view name;
  std::string_view code;
  bool (*judge)(const ExecutionResult& result);
  milliseconds timeout{5000};
};

bool never_escaped(const ExecutionResult& result) {
  return result.stdout_data.find("ESCAPED") == std::string::npos;
}

// It must have come to its own end and said so: silence proves nothing.
bool held(const ExecutionResult& result) {
  return never_escaped(result) && result.stdout_data.find("HELD") != std::string::npos;
}

bool ended_by_limit(const ExecutionResult& result) {
  return never_escaped(result) &&
         (result.status == ExecutionStatus::Oom || !result.limits_hit.empty() ||
          result.stdout_data.find("HELD") != std::string::npos);
}

bool timed_out(const ExecutionResult& result) {
  return result.status == ExecutionStatus::Timeout && result.duration < std::chrono::seconds(3);
}

bool link_not_followed(const ExecutionResult& result) {
  return result.output_files.empty() && !result.skipped_files.empty();
}

bool daemon_did_not_hold_the_run(const ExecutionResult& result) {
  return never_escaped(result) && result.duration < std::chrono::seconds(4);
}

constexpr std::string_view kNetwork = R"(
import socket
for family, address in ((socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("127.0.0.1", 22)),
                        (socket.AF_INET6, ("::1", 22))):
    try:
        s = socket.socket(family, socket.SOCK_DGRAM); s.settimeout(1)
        s.connect(address); s.send(b"x")
        print("ESCAPED", address)
    except OSError as e:
        print("HELD", e.strerror)
)";
constexpr std::string_view kHostFiles = R"(
import os
for path in ("/etc/shadow", "/etc/ssh", "/root/.bashrc", "/home", "/var/log", "/var/run/docker.sock", "/sys/kernel"):
    try:
        names = os.listdir(path) if os.path.isdir(path) else [open(path, "rb").read(1)]
        print("ESCAPED" if names else "HELD empty", path)
    except OSError as e:
        print("HELD", path, e.strerror)
)";
constexpr std::string_view kForkBomb = R"(
import os, time
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            time.sleep(30); os._exit(0)
        made += 1
    print("ESCAPED", made)
except OSError as e:
    print("HELD after", made, e.strerror)
)";
constexpr std::string_view kMemory = R"(
blocks = []
try:
    for _ in range(64):
        blocks.append(bytearray(b"x") * (64 << 20))
    print("ESCAPED 4 GiB")
except MemoryError:
    print("HELD MemoryError")
)";
constexpr std::string_view kSetuid = R"(
import os
for name, call in (("setuid", lambda: os.setuid(0)), ("setgid", lambda: os.setgid(0)),
                   ("chown", lambda: (open("f", "w").close(), os.chown("f", 0, 0)))):
    try:
        call()
        print("ESCAPED" if os.getuid() == 0 or name != "setuid" else "HELD", name)
    except OSError as e:
        print("HELD", name, e.strerror)
print("ESCAPED uid 0" if os.getuid() == 0 else "HELD uid %d" % os.getuid())
)";
constexpr std::string_view kMount = R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
r = libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None)
print("ESCAPED" if r == 0 else "HELD " + os.strerror(ctypes.get_errno()))
r = libc.mount(None, b"/", None, 32, None)
print("ESCAPED remount" if r == 0 else "HELD " + os.strerror(ctypes.get_errno()))
)";
constexpr std::string_view kPtrace = R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getppid()):
    if pid in (0, os.getpid()):
        continue
    r = libc.ptrace(16, pid, 0, 0)
    print("ESCAPED" if r == 0 else "HELD " + os.strerror(ctypes.get_errno()), pid)
r = libc.ptrace(0, 0, 0, 0)
print("ESCAPED traceme" if r == 0 else "HELD " + os.strerror(ctypes.get_errno()))
)";
constexpr std::string_view kProcesses = R"(
import os, signal
mine = {os.getpid(), 1}
try:
    others = [int(n) for n in os.listdir("/proc") if n.isdigit()]
except OSError:
    others = []
reached = 0
for pid in list(range(2, 400)) + others:
    if pid in mine or pid == os.getppid():
        continue
    try:
        os.kill(pid, 0); reached += 1
    except ProcessLookupError:
        pass
    except PermissionError:
        pass
print("ESCAPED" if reached else "HELD no foreign process can be signalled")
)";
constexpr std::string_view kLinkOutput = R"(
import os
os.symlink("/etc/passwd", "report.txt")
os.symlink("/", "all")
print("done")
)";
constexpr std::string_view kWriteRoot = R"(
import os
for path in ("/x", "/usr/x", "/usr/bin/x", "/etc/x", "/proc/sys/kernel/core_pattern", "/dev/x"):
    try:
        open(path, "w").write("x")
        print("ESCAPED", path)
    except OSError as e:
        print("HELD", path, e.strerror)
)";
constexpr std::string_view kEnvironment = R"(
import os
text = repr(dict(os.environ))
for path in ("/proc/self/environ", "/proc/1/environ", "/proc/%d/environ" % os.getppid()):
    try:
        text += repr(open(path, "rb").read())
    except OSError:
        pass
print("ESCAPED" if "@MARK@" in text else "HELD")
)";
constexpr std::string_view kUnshare = R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("net", 0x40000000), ("pid", 0x20000000)):
    r = libc.unshare(flag)
    print("ESCAPED" if r == 0 else "HELD " + os.strerror(ctypes.get_errno()), name)
)";
constexpr std::string_view kDaemon = R"(
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(30)
        print("ESCAPED")
    os._exit(0)
print("HELD leaves a daemon behind", flush=True)
)";
constexpr std::string_view kEndless = "while True:\n    pass\n";
constexpr std::string_view kStubborn = R"(
import signal, time
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    time.sleep(1)
)";
constexpr std::string_view kKernel = R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for name, number in (("bpf", 321), ("io_uring_setup", 425), ("userfaultfd", 323), ("keyctl", 250),
                     ("kexec_load", 246), ("init_module", 175), ("open_by_handle_at", 304)):
    r = libc.syscall(number, 0, 0, 0, 0, 0)
    e = ctypes.get_errno()
    refused = r == -1 and e in (1, 38)
    print("HELD" if refused else "ESCAPED", name, os.strerror(e))
)";

constexpr std::array kAttacks = {
    Attack{"reach the network", kNetwork, held},
    Attack{"read the host's files", kHostFiles, held},
    Attack{"write outside the workspace", kWriteRoot, held},
    Attack{"see the host's environment", kEnvironment, held},
    Attack{"become root", kSetuid, held},
    Attack{"mount a file system", kMount, held},
    Attack{"make namespaces", kUnshare, held},
    Attack{"trace another process", kPtrace, held},
    Attack{"signal foreign processes", kProcesses, held},
    Attack{"call dangerous kernel interfaces", kKernel, held},
    Attack{"fork bomb", kForkBomb, ended_by_limit},
    Attack{"take all memory", kMemory, ended_by_limit},
    Attack{"hand out a file by a link", kLinkOutput, link_not_followed},
    Attack{"outlive the run as a daemon", kDaemon, daemon_did_not_hold_the_run},
    Attack{"run for ever", kEndless, timed_out, milliseconds(700)},
    Attack{"ignore every signal", kStubborn, timed_out, milliseconds(700)},
};

std::string observed(const ExecutionResult& result) {
  std::string text(name_of(result.status));
  if (result.signal) text += ", " + *result.signal;
  for (const LimitHit hit : result.limits_hit) text += fmt::format(", {} limit", name_of(hit));
  for (const SkippedFile& file : result.skipped_files) {
    text += fmt::format(", {} skipped ({})", file.name, file.reason);
  }
  // The telling line: the first that escaped, else the last.
  std::string_view line;
  for (const std::string_view candidate : split(result.stdout_data, '\n')) {
    if (!trim(candidate).empty()) line = candidate;
    if (candidate.starts_with("ESCAPED")) break;
  }
  if (!line.empty()) text += ": " + escape_file_name(line.substr(0, 120));
  return text;
}

// A variable of ours that no guest may see. The command has no other thread at this point.
class MarkedEnvironment {
 public:
  // NOLINTBEGIN(concurrency-mt-unsafe)
  MarkedEnvironment() { ::setenv("COVE_DOCTOR_MARK", mark_.c_str(), 1); }
  ~MarkedEnvironment() { ::unsetenv("COVE_DOCTOR_MARK"); }
  // NOLINTEND(concurrency-mt-unsafe)
  MarkedEnvironment(const MarkedEnvironment&) = delete;
  MarkedEnvironment& operator=(const MarkedEnvironment&) = delete;
  const std::string& mark() const { return mark_; }

 private:
  std::string mark_ = random_id("mark_");
};

Proof attempt(CodeExecutor& executor, const Attack& attack, const std::string& mark) {
  ExecutionRequest request;
  request.language = "python";
  request.code = std::string(attack.code);
  request.timeout = attack.timeout;
  request.limits.memory = Bytes::mib(256);
  if (const std::size_t at = request.code.find("@MARK@"); at != std::string::npos) {
    // The guest gets the mark in halves: its own source must not be what it finds.
    request.code.replace(at - 1, 8, fmt::format("'{}' + '{}'", mark.substr(0, 8), mark.substr(8)));
  }
  const auto result = executor.execute(request);
  if (!result) return {std::string(attack.name), false, result.error().message()};
  return {std::string(attack.name), attack.judge(*result), observed(*result)};
}

}  // namespace

std::vector<Proof> prove_containment(CodeExecutor& executor,
                                     const std::function<void(const Proof&)>& done) {
  std::vector<Proof> proofs;
  const MarkedEnvironment environment;
  for (const Attack& attack : kAttacks) {
    proofs.push_back(attempt(executor, attack, environment.mark()));
    done(proofs.back());
  }
  // After all that, an honest program must still run.
  ExecutionRequest request;
  request.code = "print('fine')";
  const auto result = executor.execute(request);
  const bool fine = result && result->stdout_data == "fine\n";
  proofs.push_back(
      {"the next job works", fine, result ? observed(*result) : result.error().message()});
  done(proofs.back());
  return proofs;
}

}  // namespace cove
