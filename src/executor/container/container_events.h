#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/unique_fd.h"
#include "executor/container/engine_command.h"

namespace cove {

// What an engine tells about one container.
struct ContainerEvent {
  enum class Kind : unsigned char { Started, OutOfMemory, Died, Removed };
  std::string name;
  Kind kind = Kind::Started;
  std::optional<int> exit_code;  // Died
};

// One line of `docker events` or `podman events` as JSON; nothing for what is of no interest here.
std::optional<ContainerEvent> parse_container_event(std::string_view line);

struct ContainerState {
  std::optional<std::chrono::steady_clock::time_point> started;
  bool oom = false;
  bool died = false;
  std::optional<int> exit_code;
  bool removed = false;
};

// Follows what happens to the containers of one owner, through one `events` command that runs as
// long as this lives. It is how a run learns when its container started (the engine's own start-up
// is not the program's time), what its exit code was (the client's own codes 125 to 127 look the
// same), and whether memory ran out (after --rm nothing is left to inspect). Thread-safe.
class ContainerEvents {
 public:
  ContainerEvents(EngineCommand engine, std::string owner);
  ContainerEvents(const ContainerEvents&) = delete;
  ContainerEvents& operator=(const ContainerEvents&) = delete;
  ~ContainerEvents();

  // From here on the container's events are kept; `wake` (an eventfd, the caller's) is written to
  // at each. Ends with forget().
  void follow(const std::string& name, int wake);
  void forget(const std::string& name);
  ContainerState state(const std::string& name) const;
  // Until it has died or the time is over.
  ContainerState wait_until_dead(const std::string& name, std::chrono::milliseconds patience) const;
  // False when the engine's events cannot be read: nothing can be learnt from silence then.
  bool listening() const;

 private:
  struct Followed {
    ContainerState state;
    int wake = -1;
  };
  void listen(const std::stop_token& stop);
  void listen_once(const std::stop_token& stop);
  void take_line(std::string_view line);

  EngineCommand engine_;
  std::string owner_;
  std::string since_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, Followed, std::less<>> followed_;
  bool listening_ = true;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace cove
