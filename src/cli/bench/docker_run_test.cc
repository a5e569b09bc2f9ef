#include "cli/bench/docker_run.h"

#include <stdlib.h>

#include <algorithm>

#include <gtest/gtest.h>

#include "base/strings.h"

namespace cove {
namespace {

TEST(DockerRun, TheContainerIsLockedDownAndNamedAnewEachTime) {
  std::vector<std::string> argv = docker_run_command("some/image", "print(1)");
  const auto name = std::ranges::find(argv, "--name");
  ASSERT_NE(name, argv.end());
  EXPECT_NE(docker_run_command("some/image", "print(1)")[name - argv.begin() + 1], name[1]);
  name[1] = "ID";
  EXPECT_EQ(join(argv, " "),
            "docker run --rm -i --network=none --read-only --tmpfs=/tmp:rw,exec,size=64m --memory "
            "512m --memory-swap 512m --cpus 1 --pids-limit 64 --user 65534:65534 --cap-drop=ALL "
            "--security-opt=no-new-privileges --name ID some/image python3 -c print(1)");
}

TEST(DockerRun, WithoutAnEngineTheReasonIsOneLine) {
  ::setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock", 1);
  const auto target = find_docker_target("");
  ::unsetenv("DOCKER_HOST");
  ASSERT_FALSE(target);
  const std::string reason = target.error().message();
  EXPECT_TRUE(reason == "the docker command is not installed" ||
              reason.starts_with("no Docker engine answers"))
      << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
}

}  // namespace
}  // namespace cove
