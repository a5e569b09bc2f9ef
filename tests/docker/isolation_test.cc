// What a program in the container can and cannot do, and which requests are refused.
#include <latch>
#include <thread>

#include <fmt/format.h>

#include "docker/docker_fixture.h"

namespace cove::docker_suite {
namespace {

TEST_F(Docker, AProgramHasNoPrivilegesNoNetworkAndNothingToWriteTo) {
  const auto result = run(R"(
import os, socket
status = dict(l.split(':\t', 1) for l in open('/proc/self/status').read().splitlines())
print('caps', status['CapEff'], status['CapBnd'], status['NoNewPrivs'], status['Seccomp'])
print('root', os.getuid() == 0, os.getgid() == 0, os.getgroups() == [os.getgid()])
print('interfaces', [n for _, n in socket.if_nameindex()])
for path in ['/x', '/etc/x', '/usr/x', '/workspace/../x', '/dev/x', '/sys/fs/cgroup/x', '/var/x']:
    try: open(path, 'w'); print('wrote', path)
    except OSError: pass
others = [p for p in os.listdir('/workspace') if not os.path.samefile('/workspace/' + p, '.')]
print('mine', [p.endswith('.code') for p in others])
import resource
print('files', resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_CORE))
)");
  EXPECT_EQ(result.stdout_data,
            "caps 0000000000000000 0000000000000000 1 2\nroot False False True\ninterfaces ['lo']\n"
            "mine [True]\nfiles (256, 256) (0, 0)\n")
      << describe(result);
}

// What the directories that executions share hold, and as whom it was looked.
constexpr const char* kLookAround = R"(
import os
own = os.path.basename(os.getcwd())
beside = [name for name in os.listdir('/workspace') if not name.startswith(own)]
print(os.listdir('.'), beside, os.listdir('/tmp'), os.listdir('/dev/shm'), os.getuid())
)";

TEST_F(Docker, EachExecutionStartsEmptyAndLeavesNothing) {
  const auto first = run(std::string(kLookAround) + R"(
for place in ['/tmp', '/dev/shm', '/workspace', '.']:
    open(place + '/left', 'w')
    os.makedirs(place + '/.closed/inner')
    open(place + '/.closed/inner/left', 'w')
    os.chmod(place + '/.closed/inner', 0)
    os.chmod(place + '/.closed', 0)
os.chmod('.', 0)
os.chmod(os.path.dirname(os.path.abspath(__file__)), 0)
)");
  EXPECT_TRUE(first.stdout_data.starts_with("[] [] [] [] ")) << describe(first);
  EXPECT_EQ(first.output_files.size(), 2U) << "closed directories are opened for collection";
  const auto second = run(kLookAround);
  EXPECT_TRUE(second.stdout_data.starts_with("[] [] [] [] ")) << describe(second);
  EXPECT_NE(first.stdout_data, second.stdout_data) << "another user";
}

TEST_F(Docker, ConcurrentExecutionsDoNotMix) {
  DockerOptions many = options();
  many.max_concurrent = 4;
  const auto executor = make(many);
  ASSERT_TRUE(executor->start());
  std::vector<ExecutionResult> results(8);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        auto asks = request(fmt::format(R"(
import os, signal, time
open('mine', 'w').write('{0}')
time.sleep(0.5)
for pid in filter(str.isdigit, os.listdir('/proc')):
    if int(pid) in (os.getpid(), os.getppid()): continue
    try:
        if os.stat('/proc/' + pid).st_uid != os.getuid(): os.kill(int(pid), 9); print('killed', pid)
    except OSError: pass
time.sleep(0.5)
print(open('mine').read(), os.listdir('.'))
)",
                                        i));
        asks.files = {{"in", std::to_string(i), {}}};
        auto result = executor->execute(asks);
        ASSERT_TRUE(result) << result.error().message();
        results[static_cast<std::size_t>(i)] = std::move(*result);
      });
    }
  }
  for (int i = 0; i < 8; ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    EXPECT_EQ(result.status, ExecutionStatus::Success) << describe(result);
    EXPECT_TRUE(result.stdout_data.starts_with(fmt::format("{} [", i))) << describe(result);
    ASSERT_NE(find_file(result, "mine"), nullptr);
    EXPECT_EQ(find_file(result, "mine")->content, std::to_string(i));
  }
  EXPECT_EQ(processes(executor->container_id()), std::vector<std::string>());
}

TEST_F(Docker, ATimeoutOfOneLeavesTheOthersAlone) {
  (void)executor().start();
  ExecutionResult other;
  {
    const std::jthread thread(
        [&] { other = run(request("import time\ntime.sleep(3)\nprint('lived')")); });
    auto asks = request("import time\ntime.sleep(60)");
    asks.timeout = std::chrono::milliseconds(1000);
    EXPECT_EQ(run(asks).status, ExecutionStatus::Timeout);
  }
  EXPECT_EQ(other.stdout_data, "lived\n") << describe(other);
}

TEST_F(Docker, WhatTheContainerDoesNotHaveIsRefusedBeforeAnythingRuns) {
  const auto code_of = [&](const ExecutionRequest& asks, const ExecutionContext& context = {}) {
    const auto result = executor().execute(asks, context);
    return result ? "ran" : std::string(error_code_name(result.error().code()));
  };
  auto asks = request("print(1)");
  asks.policy.network = NetworkPolicy::Enabled;
  EXPECT_EQ(code_of(asks), "unsupported_policy");
  asks = request("print(1)");
  asks.limits.memory = Bytes::mib(64);
  EXPECT_EQ(code_of(asks), "unsupported_policy");
  asks = request("print(1)");
  asks.limits.cpu_time = std::chrono::seconds(1);
  EXPECT_EQ(code_of(asks), "unsupported_policy");
  asks = request("print(1)");
  asks.policy.filesystem = {FilesystemPolicy::Kind::Paths, "", {"/srv"}, {}};
  EXPECT_EQ(code_of(asks), "unsupported_policy");
  asks = request("print(1)");
  asks.input = json::value(1);
  EXPECT_EQ(code_of(asks), "invalid_request");
  asks = request("print(1)");
  asks.policy.working_directory = "nowhere";
  EXPECT_EQ(code_of(asks), "invalid_request");
  LiveInput live;
  ExecutionContext context;
  context.live = &live;
  EXPECT_EQ(code_of(request("print(1)"), context), "unsupported_policy");
  EXPECT_FALSE(executor().is_running()) << "nothing was started for any of these";
}

// A wrapper of a program's own user looks after it. A program that takes it over, as it may, gains
// nothing by that: it is looked after by others as well.
TEST_F(Docker, AProgramThatGetsRidOfItsWrapperIsEndedAllTheSame) {
  ASSERT_TRUE(executor().start());
  const std::string container = executor().container_id();
  // The one that is left holds no output, so that nobody waits for it.
  constexpr const char* kEscape = R"(
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
wrapper = os.getppid()
open('/tmp/left', 'w')
print('began', flush=True)
if os.fork() == 0:
    os.setsid()
    for fd in range(3): os.close(fd)
    time.sleep(0.1)
    WAY
    time.sleep(300)
)";
  for (const std::string way : {"os.kill(wrapper, 9)", "libc.ptrace(16, wrapper, None, None)"}) {
    std::string code = kEscape;
    code.replace(code.find("WAY"), 3, way);
    auto asks = request(code + "time.sleep(0.5)\n");
    asks.timeout = std::chrono::seconds(3);
    const auto result = run(asks);
    EXPECT_EQ(result.stdout_data, "began\n") << describe(result);
    EXPECT_EQ(processes(container), std::vector<std::string>()) << way;
    const auto next = run(kLookAround);
    EXPECT_TRUE(next.stdout_data.starts_with("[] [] [] [] ")) << way << describe(next);
    EXPECT_EQ(executor().container_id(), container);
  }
}

// Nothing of its user lives long enough to end it: the container has to go.
TEST_F(Docker, AProgramThatKillsWhoeverComesForItTakesItsContainerAlong) {
  ASSERT_TRUE(executor().start());
  const std::string container = executor().container_id();
  const auto result = executor().execute(request(R"(
import os, time
if os.fork() == 0:
    os.setsid()
    for fd in range(3): os.close(fd)
    while True:
        try: os.kill(-1, 9)
        except OSError: pass
time.sleep(60)
)"));
  (void)result;  // its wrapper is gone, and with it what could be said
  const auto next = executor().execute(request("print('fresh')"));
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(next->stdout_data, "fresh\n");
  EXPECT_EQ(processes(executor().container_id()), std::vector<std::string>());
  EXPECT_NE(executor().container_id(), container);
}

// Learns the mark from its wrapper's memory.
constexpr const char* kFindMark = R"(
import io, os, re, sys, tarfile, time
wrapper = os.getppid()
mark = None
for line in open('/proc/%d/maps' % wrapper):
    if '[heap]' not in line and '[stack]' not in line: continue
    low, high = (int(n, 16) for n in line.split()[0].split('-'))
    with open('/proc/%d/mem' % wrapper, 'rb') as memory:
        memory.seek(low)
        found = re.search(rb'_cove_mark=([a-z0-9]{20})', memory.read(high - low))
    mark = mark or (found and found.group(1))
)";

TEST_F(Docker, AProgramCanSpeakOnlyForItself) {
  // It ends its output with the mark, and with files of its own making.
  const auto result = run(std::string(kFindMark) + R"(
archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode='w') as tar:
    for name in ['../../outside', '/etc/absolute', 'a/../../b', 'fine']:
        entry = tarfile.TarInfo(name)
        entry.size = 1
        tar.addfile(entry, io.BytesIO(b'x'))
sys.stdout.buffer.write(b'said\0' + (mark or b'') + b'\ncode 0\n\0\0' + archive.getvalue())
sys.stdout.flush()
sys.exit(3)
)");
  EXPECT_EQ(result.exit_code, 3) << describe(result);
  EXPECT_TRUE(result.stdout_data == "said") << "the mark was not found: the test proves nothing";
  ASSERT_EQ(result.output_files.size(), 1U);
  EXPECT_EQ(result.output_files[0].name, "fine");
  EXPECT_EQ(result.skipped_files.size(), 3U);
  EXPECT_EQ(run("print(1)").stdout_data, "1\n");
}

// Everything that a wrapper would say at the end, said by the program, which goes on in the dark.
TEST_F(Docker, AForgedEndIsCleanedUpAfterAllTheSame) {
  ASSERT_TRUE(executor().start());
  const std::string container = executor().container_id();
  const auto result = run(std::string(kFindMark) + R"(
open('/tmp/left', 'w')
sys.stdout.buffer.write(b'said\0' + (mark or b'') + b'\ncode 0\n\0\0')
sys.stdout.flush()
for fd in range(3): os.close(fd)
os.kill(wrapper, 9)
time.sleep(300)
)");
  EXPECT_EQ(result.stdout_data, "said") << "the mark was not found: the test proves nothing";
  EXPECT_EQ(processes(container), std::vector<std::string>());
  const auto next = run(kLookAround);
  EXPECT_TRUE(next.stdout_data.starts_with("[] [] [] [] ")) << describe(next);
  EXPECT_EQ(executor().container_id(), container);
}

TEST_F(Docker, LimitsOfOneExecutionHold) {
  auto asks = request(R"(
import resource, os
print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])
made = 0
try:
    while made < 50:
        if os.fork() == 0: __import__('time').sleep(30)
        made += 1
except OSError: pass
print(made)
)");
  asks.limits.processes = 10;
  asks.limits.descriptors = 32;
  const auto result = run(asks);
  EXPECT_EQ(result.stdout_data, "32\n9\n") << describe(result);
}

TEST_F(Docker, TheDiskIsFullAtItsLimit) {
  DockerOptions small = options();
  small.disk = Bytes::mib(4);
  const auto executor = make(small);
  auto asks = request("open('big', 'wb').write(b'x' * (16 << 20))");
  const auto result = executor->execute(asks);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->status, ExecutionStatus::Failed);
  EXPECT_TRUE(hit(*result, LimitHit::Disk)) << describe(*result);
  auto large = request("print(1)");
  large.files = {{"big", std::string(8 << 20, 'x'), {}}};
  const auto refused = executor->execute(large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidRequest) << refused.error().message();
  const auto after = executor->execute(request("print('fine')"));
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_EQ(after->stdout_data, "fine\n");
}

}  // namespace
}  // namespace cove::docker_suite
