// What only a container that stays can get wrong.
#include <unistd.h>

#include <stop_token>
#include <thread>

#include "conformance/conformance_fixture.h"
#include "conformance/engine_inventory.h"
#include "docker/docker_executor.h"

namespace cove::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ContainerPersistent, NothingIsLeftAfterAnyEnd) {
  const std::string before = inventory("docker");
  const std::string mark = "cove-persistent-" + std::to_string(::getpid());
  {
    DockerOptions options = DockerOptions::custom("cove-test/python");
    options.packages = true;  // a volume
    const auto made = DockerExecutor::create(host_catalog(), options);
    ASSERT_TRUE(made) << made.error().message();
    DockerExecutor* const executor = made->get();
    ExecutionRequest plain;
    plain.code = "open('left', 'w'); open('/tmp/left', 'w')";
    plain.timeout = seconds(30);
    ASSERT_TRUE(executor->execute(plain));
    ExecutionRequest slow = plain;
    slow.code =
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '" +
        mark +
        "'],\n"
        "                 start_new_session=True)\n"
        "time.sleep(60)\n";
    slow.timeout = seconds(2);
    const auto late = executor->execute(slow);
    ASSERT_TRUE(late) << late.error().message();
    EXPECT_EQ(late->status, ExecutionStatus::Timeout);
    EXPECT_EQ(processes_left(mark, seconds(1)), 0) << "the container lives, the program does not";
    std::stop_source stop;
    const std::jthread canceller([&] {
      std::this_thread::sleep_for(milliseconds(60));
      stop.request_stop();
    });
    const auto gone = executor->execute(slow, {.cancel = stop.get_token()});
    ASSERT_TRUE(gone) << gone.error().message();
    EXPECT_EQ(gone->status, ExecutionStatus::Cancelled) << describe(*gone);
    // The directories that executions share, as only their owner can list them.
    EXPECT_EQ(ask("docker", {"exec", "--user", "0:0", executor->container_id(), "ls", "-A", "/tmp",
                             "/workspace"}),
              "/tmp:\n\n/workspace:\n");
  }
  EXPECT_EQ(containers_left("docker", seconds(5)), "");
  EXPECT_EQ(inventory("docker"), before);
}

}  // namespace
}  // namespace cove::conformance
