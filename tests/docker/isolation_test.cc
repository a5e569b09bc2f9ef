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
try: os.listdir('/workspace'); print('listed')
except OSError: pass
import resource
print('files', resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_CORE))
)");
  EXPECT_EQ(result.stdout_data,
            "caps 0000000000000000 0000000000000000 1 2\nroot False False True\ninterfaces ['lo']\n"
            "files (256, 256) (0, 0)\n")
      << describe(result);
}

TEST_F(Docker, EachExecutionStartsEmptyAndLeavesNothing) {
  const auto first =
      run("import os\nprint(os.listdir('.'), os.getuid())\nopen('/tmp/left', 'w')\n"
          "open('/dev/shm/left', 'w')\nopen('left', 'w')");
  EXPECT_TRUE(first.stdout_data.starts_with("[] ")) << describe(first);
  const auto second =
      run("import os\nprint(os.listdir('.'), os.listdir('/tmp'), "
          "os.listdir('/dev/shm'), os.getuid())");
  EXPECT_TRUE(second.stdout_data.starts_with("[] [] [] ")) << describe(second);
  EXPECT_NE(first.stdout_data.substr(3), second.stdout_data.substr(9));
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
