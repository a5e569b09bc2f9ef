#include "executor/container/container_owner.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pipe.h"
#include "base/strings.h"
#include "executor/container/owner_label.h"
#include "executor/container/run_args.h"

namespace cove {

namespace {

// Waits for the end of input. A word says that all is in order; without one the owner has died. Its
// clients die with it, but one of them may have a container under way: hence the second look.
constexpr const char* kWatch = R"(
read -r word && exit 0
for pause in 0 2; do
  sleep $pause
  for id in $("$0" ps --all --quiet --filter "label=$1"); do
    "$0" kill "$id"
    "$0" rm --force "$id"
  done
done
)";

}  // namespace

Result<int> sweep_containers(const EngineCommand& engine) {
  COVE_ASSIGN(const EngineAnswer ids,
              ask_engine(engine.path, {"ps", "--all", "--quiet", "--filter",
                                       fmt::format("label={}", kOwnerLabel)}));
  // Lists show labels in different ways; this is the same for both engines.
  std::vector<std::string> words{
      "inspect", "--format",
      fmt::format("{{{{.Id}}}} {{{{index .Config.Labels \"{}\"}}}}", kOwnerLabel)};
  for (const std::string_view id : split(ids.out, '\n')) {
    if (!trim(id).empty()) words.emplace_back(trim(id));
  }
  if (words.size() == 3) return 0;
  // One that has gone meanwhile makes it fail, but the others are told all the same.
  COVE_ASSIGN(const EngineAnswer owners, ask_engine(engine.path, words));
  int removed = 0;
  for (const std::string_view line : split(owners.out, '\n')) {
    const auto gap = line.find(' ');
    if (gap == std::string_view::npos || !owner_is_dead(trim(line.substr(gap)))) continue;
    COVE_TRY(remove_container(engine.path, std::string(line.substr(0, gap))));
    ++removed;
  }
  return removed;
}

Result<ContainerWatchdog> ContainerWatchdog::start(const EngineCommand& engine,
                                                   const std::string& owner) {
  COVE_ASSIGN(Pipe line, make_pipe());
  std::string path = engine.path;
  std::string script = kWatch;
  std::string label = fmt::format("{}={}", kOwnerLabel, owner);
  std::string shell = "/bin/sh";
  std::string flag = "-c";
  char* const argv[] = {shell.data(), flag.data(),  script.data(),
                        path.data(),  label.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&how);
  ::posix_spawn_file_actions_adddup2(&files, line.read.get(), 0);
  ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&files, 3);
  // A session of its own: what ends our process group must not end it.
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setsigdefault(&how, &all);
  ::posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ContainerWatchdog watchdog;
  const int problem = ::posix_spawn(&watchdog.pid_, shell.c_str(), &files, &how, argv, environ);
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  if (problem != 0) {
    watchdog.pid_ = -1;
    return Err(Error::from_errno("starting the watchdog of the containers", problem));
  }
  watchdog.line_ = std::move(line.write);
  return watchdog;
}

ContainerWatchdog::ContainerWatchdog(ContainerWatchdog&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), line_(std::move(other.line_)) {}

ContainerWatchdog::~ContainerWatchdog() {
  if (pid_ <= 0) return;
  // It waits for this line and for nothing else, so it cannot be gone.
  (void)!::write(line_.get(), "done\n", 5);
  line_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace cove
