#include "soak/workload.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace cove::soak {
namespace {

using std::chrono::milliseconds;
using Check = std::function<bool(const ExecutionResult&)>;

struct Kind {
  const char* name;
  std::size_t share;  // of 200
  ExecutionRequest (*request)(std::size_t index);
  bool (*right)(std::size_t index, const ExecutionResult& result);
  bool cold = false;
  bool cancelled = false;
};

ExecutionRequest program(std::string code) {
  ExecutionRequest request;
  request.code = std::move(code);
  request.timeout = std::chrono::seconds(20);
  return request;
}

ExecutionRequest success(std::size_t index) {
  auto request = program("import sys\nprint(sys.argv[1], input())\n");
  request.args = {std::to_string(index)};
  request.stdin_data = "line\n";
  return request;
}

bool succeeded(std::size_t index, const ExecutionResult& result) {
  return result.is_success() && result.stdout_data == fmt::format("{} line\n", index);
}

ExecutionRequest with_files(std::size_t index) {
  auto request = program("open('out.txt', 'w').write(open('in.txt').read() * 2)\n");
  request.files = {{"in.txt", std::to_string(index), {}}};
  request.collect_file_contents = true;
  return request;
}

bool doubled(std::size_t index, const ExecutionResult& result) {
  return result.is_success() && result.output_files.size() == 1 &&
         result.output_files[0].content == fmt::format("{0}{0}", index);
}

ExecutionRequest out_of_memory(std::size_t) {
  auto request = program("x = []\nwhile True: x.append(bytearray(1 << 20))\n");
  request.limits.memory = Bytes::mib(32);
  return request;
}

bool ran_out(std::size_t, const ExecutionResult& result) {
  // Without a control group the limit holds for each process, which sees a MemoryError.
  return result.status == ExecutionStatus::Oom ||
         result.stderr_data.find("MemoryError") != std::string::npos;
}

ExecutionRequest flood(std::size_t) {
  auto request = program("import sys\nfor _ in range(64): sys.stdout.write('x' * 65536)\n");
  request.limits.stdout_bytes = Bytes{64U << 10U};
  return request;
}

ExecutionRequest fork_bomb(std::size_t) {
  auto request = program("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n");
  request.limits.processes = 12;
  request.timeout = milliseconds(100);
  return request;
}

ExecutionRequest endless(std::size_t) {
  auto request = program("print('on', flush=True)\nwhile True: pass\n");
  request.timeout = milliseconds(50);
  return request;
}

bool timed_out(std::size_t, const ExecutionResult& result) {
  return result.status == ExecutionStatus::Timeout && !result.exit_code;
}

constexpr const char* kLeavesThingsBehind =
    "import os, subprocess, tempfile\n"
    "subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    "tempfile.mkdtemp()\n"
    "os.mkfifo('pipe')\n";

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"success", 90, success, succeeded},
      {"exception", 24, [](std::size_t) { return program("{}['missing']"); },
       [](std::size_t, const ExecutionResult& r) {
         return r.exit_code == 1 && r.stderr_data.ends_with("KeyError: 'missing'\n");
       }},
      {"exit code", 24, [](std::size_t i) { return program(fmt::format("exit({})", 1 + i % 100)); },
       [](std::size_t i, const ExecutionResult& r) {
         return r.exit_code == static_cast<int>(1 + i % 100);
       }},
      {"signal", 16, [](std::size_t) { return program("import os\nos.kill(os.getpid(), 15)"); },
       [](std::size_t, const ExecutionResult& r) { return r.signal == "SIGTERM"; }},
      {"files", 20, with_files, doubled},
      {"timeout", 6, endless, timed_out},
      {"out of memory", 3, out_of_memory, ran_out},
      {"output flood", 4, flood,
       [](std::size_t, const ExecutionResult& r) {
         return r.is_success() && r.stdout_truncated && r.stdout_data.size() == 64U << 10U;
       }},
      {"fork bomb", 1, fork_bomb, timed_out},
      {"leftovers", 4, [](std::size_t) { return program(kLeavesThingsBehind); },
       [](std::size_t, const ExecutionResult& r) {
         return r.is_success() && r.skipped_files.size() == 1;
       }},
      {"cancelled", 4, [](std::size_t) { return program("import time\ntime.sleep(30)"); },
       [](std::size_t, const ExecutionResult& r) { return r.status == ExecutionStatus::Cancelled; },
       false, true},
      {"cold success", 3, success, succeeded, true},
      {"cold timeout", 1, endless, timed_out, true}};
  return all;
}

const Kind& kind_of(std::size_t index) {
  // A step that has no divisor in common with the total, so that kinds are mixed, not in rows.
  std::size_t total = 0;
  for (const auto& kind : kinds()) total += kind.share;
  std::size_t at = index * 77 % std::max<std::size_t>(total, 1);
  for (const auto& kind : kinds()) {
    if (at < kind.share) return kind;
    at -= kind.share;
  }
  return kinds().front();
}

}  // namespace

std::string run_one(std::size_t index, const Executors& executors) {
  const Kind& kind = kind_of(index);
  NativeExecutor& executor = kind.cold ? executors.cold : executors.warm;
  std::stop_source stop;
  std::jthread canceller;
  if (kind.cancelled) {
    canceller = std::jthread([&stop] {
      std::this_thread::sleep_for(milliseconds(20));
      stop.request_stop();
    });
  }
  const auto result = executor.execute(kind.request(index), {.cancel = stop.get_token()});
  if (!result) return fmt::format("{} {}: {}", kind.name, index, result.error().message());
  if (kind.right(index, *result)) return "";
  return fmt::format("{} {}: status {}, exit code {}, signal {}, stdout [{}], stderr [{}]",
                     kind.name, index, static_cast<int>(result->status),
                     result->exit_code.value_or(-1), result->signal.value_or("none"),
                     result->stdout_data.substr(0, 200), result->stderr_data.substr(0, 400));
}

}  // namespace cove::soak
