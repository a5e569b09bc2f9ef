// Starting, setting up, stopping, and what remains when things go wrong.
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "docker/docker_container.h"
#include "docker/docker_fixture.h"
#include "executor/container/owner_label.h"

namespace cove::docker_suite {
namespace {

using namespace std::chrono_literals;

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + 15s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(50ms);
  }
  return holds();
}

TEST_F(Docker, StartStopRestartCleanup) {
  auto& backend = executor();
  EXPECT_FALSE(backend.is_running());
  EXPECT_EQ(backend.container_id(), "");
  ASSERT_TRUE(backend.start());
  EXPECT_TRUE(backend.is_running());
  const std::string first = backend.container_id();
  ASSERT_TRUE(backend.start()) << "a second start changes nothing";
  EXPECT_EQ(backend.container_id(), first);
  EXPECT_EQ(containers().size(), 1U);
  ASSERT_TRUE(backend.restart());
  EXPECT_NE(backend.container_id(), first);
  EXPECT_EQ(containers().size(), 1U);
  ASSERT_TRUE(backend.stop());
  EXPECT_FALSE(backend.is_running());
  EXPECT_EQ(containers().size(), 0U);
  ASSERT_TRUE(backend.cleanup());
  EXPECT_EQ(run("print('starts by itself')").stdout_data, "starts by itself\n");
}

TEST_F(Docker, WithoutAutoStartItMustBeStarted) {
  DockerOptions manual = options();
  manual.auto_start = false;
  const auto backend = make(manual);
  const auto refused = backend->execute(request("print(1)"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("start()"), std::string::npos);
  ASSERT_TRUE(backend->start());
  EXPECT_TRUE(backend->execute(request("print(1)")));
}

TEST_F(Docker, WithoutAutoRemoveStopKeepsItToBeLookedAt) {
  DockerOptions kept = options();
  kept.auto_remove = false;
  const auto backend = make(kept);
  ASSERT_TRUE(backend->start());
  const std::string id = backend->container_id();
  ASSERT_TRUE(backend->stop());
  EXPECT_EQ(containers(), std::vector<std::string>{id});
  EXPECT_FALSE(api().is_running(id).value());
  ASSERT_TRUE(backend->start());
  EXPECT_NE(backend->container_id(), id);
  EXPECT_EQ(containers().size(), 1U);
  EXPECT_TRUE(backend->execute(request("print(1)")));
  ASSERT_TRUE(backend->stop());
  ASSERT_TRUE(backend->cleanup());
  EXPECT_EQ(containers(), std::vector<std::string>());
}

TEST_F(Docker, SetUpCommandsRunInOrderAndTheirWorkIsSeen) {
  DockerOptions prepared = options();
  prepared.packages = true;
  prepared.env("PYTHONPATH", "/packages/python").env("MODE", "test");
  prepared.setup_command("mkdir -p /packages/python")
      .setup_command("echo \"mode = '$MODE'\" > /packages/python/prepared.py");
  const auto backend = make(prepared);
  const auto result = backend->execute(request(R"(
import prepared, os
print(prepared.mode, os.environ['MODE'])
try: open('/packages/python/x', 'w'); print('wrote')
except OSError: print('read-only')
)"));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->stdout_data, "test test\nread-only\n") << describe(*result);
}

TEST_F(Docker, ASetUpThatFailsShowsItsOutputAndLeavesNothing) {
  DockerOptions broken = options();
  broken.setup_command("echo looking for it; echo not there >&2; exit 7")
      .setup_command("touch /tmp/x");
  const auto backend = make(broken);
  const auto started = backend->start();
  ASSERT_FALSE(started);
  for (const char* part : {"looking for it", "not there", "ended with 7", "removed"}) {
    EXPECT_NE(started.error().message().find(part), std::string::npos) << started.error().message();
  }
  EXPECT_FALSE(backend->is_running());
  EXPECT_EQ(containers(), std::vector<std::string>());
  DockerOptions pip = options();
  pip.pip_install({"no-such-package"});
  const auto failed = make(pip)->start();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("pip"), std::string::npos);
  DockerOptions slow = options();
  slow.setup_timeout = 1s;
  slow.setup_command("sleep 60");
  const auto late = make(slow)->start();
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message().find("1 s"), std::string::npos) << late.error().message();
}

TEST_F(Docker, MissingImagesAndMissingEnginesAreNamed) {
  const auto backend = make(DockerOptions::custom("cove-test/no-such-image"));
  const auto started = backend->start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message().find("docker pull cove-test/no-such-image"),
            std::string::npos)
      << started.error().message();
  const auto nowhere = DockerExecutor::create(profiles(), options(),
                                              find_docker_host("unix:///nowhere.sock").value());
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code(), ErrorCode::BackendUnavailable);
  EXPECT_NE(nowhere.error().message().find("/nowhere.sock"), std::string::npos);
}

TEST_F(Docker, BindMountsAreSeenAndWrittenAsTheirOwner) {
  char directory[] = "/tmp/cove-docker-test-XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  ASSERT_EQ(::chown(directory, 12345, 12345), 0);
  DockerOptions mounted = options();
  mounted.bind_mount({directory, directory, false});
  mounted.user = 12345;
  {
    const auto backend = make(mounted);
    auto asks = request(
        fmt::format("import os\nopen('{}/f', 'w').write('x')\nprint(os.getuid())", directory));
    EXPECT_FALSE(backend->execute(asks)) << "the policy says no host path";
    asks.policy.filesystem = {FilesystemPolicy::Kind::Paths, "", {}, {directory}};
    const auto result = backend->execute(asks);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->stdout_data, "12345\n") << describe(*result);
  }
  struct stat facts = {};
  const std::string file = std::string(directory) + "/f";
  EXPECT_EQ(::stat(file.c_str(), &facts), 0);
  ::unlink(file.c_str());
  ::rmdir(directory);
}

TEST_F(Docker, AContainerThatWasTakenAwayIsReplaced) {
  ASSERT_TRUE(executor().start());
  const std::string first = executor().container_id();
  ASSERT_TRUE(api().remove_container(first));
  EXPECT_TRUE(eventually([&] { return !executor().is_running(); }));
  EXPECT_EQ(run("print('new')").stdout_data, "new\n");
  EXPECT_NE(executor().container_id(), first);
  // While a program runs in it, nobody can say what the program did.
  const std::jthread taker([&] {
    std::this_thread::sleep_for(1s);
    (void)api().remove_container(executor().container_id());
  });
  const auto lost = executor().execute(request("import time; time.sleep(60)"));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::BackendUnavailable) << lost.error().message();
}

TEST_F(Docker, WhenCoveDiesItsContainerGoes) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto backend = DockerExecutor::create(profiles(), options());
    const bool started = backend && (*backend)->start().has_value();
    (void)!::write(ready[1], started ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(containers().size(), 1U);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  EXPECT_TRUE(eventually([&] { return containers().empty(); }));
}

TEST_F(Docker, LeftoversOfTheDeadAreSweptAndThoseOfTheLivingAreNot) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  std::string dead = owner_label();
  const std::string pid = fmt::format("-{}-", ::getpid());
  dead.replace(dead.find(pid), pid.size(), fmt::format("-{}-", child));
  auto engine = api();
  // Created and never started: no end of anything removes these.
  const auto body = [](const std::string& owner) {
    return container_request(options(), {{std::string(kDockerBackendLabel), "docker"},
                                         {std::string(kDockerOwnerLabel), owner}});
  };
  const std::string of_dead = engine.create_container("cove-test-dead", body(dead)).value();
  const std::string of_living =
      engine.create_container("cove-test-living", body(owner_label())).value();
  ASSERT_TRUE(executor().start());
  const auto left = containers();
  EXPECT_EQ(std::ranges::count(left, of_dead), 0);
  EXPECT_EQ(std::ranges::count(left, of_living), 1);
  ASSERT_TRUE(engine.remove_container(of_living));
}

}  // namespace
}  // namespace cove::docker_suite
