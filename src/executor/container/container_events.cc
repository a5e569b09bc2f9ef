#include "executor/container/container_events.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/parse_json.h"
#include "executor/container/run_args.h"
#include "executor/local/process_tree.h"
#include "executor/stream_io.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

std::string text_at(const json::object& object, std::string_view name) {
  const auto* at = object.find({name.data(), name.size()});
  return at != object.end() && at->value().is_string() ? std::string(at->value().as_string()) : "";
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<ContainerEvent::Kind> kind_of(std::string_view word) {
  if (word == "start") return ContainerEvent::Kind::Started;
  if (word == "oom") return ContainerEvent::Kind::OutOfMemory;
  if (word == "die" || word == "died") return ContainerEvent::Kind::Died;
  if (word == "destroy" || word == "remove") return ContainerEvent::Kind::Removed;
  return std::nullopt;
}

}  // namespace

std::optional<ContainerEvent> parse_container_event(std::string_view line) {
  const auto value = parse_json(line);
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& event = value->as_object();
  if (text_at(event, "Type") != "container") return std::nullopt;
  ContainerEvent found;
  // Docker has the name among the actor's attributes, podman beside the rest.
  json::object attributes;
  std::string word = text_at(event, "Action");
  if (const auto* actor = event.if_contains("Actor"); actor != nullptr && actor->is_object()) {
    const auto* inner = actor->as_object().if_contains("Attributes");
    if (inner != nullptr && inner->is_object()) attributes = inner->as_object();
    found.name = text_at(attributes, "name");
    found.exit_code = number(text_at(attributes, "exitCode"));
  } else {
    found.name = text_at(event, "Name");
    word = text_at(event, "Status");
    const auto* code = event.if_contains("ContainerExitCode");
    if (code != nullptr && code->is_int64()) found.exit_code = static_cast<int>(code->as_int64());
    // Podman 4.3 leaves out a zero.
    if (code == nullptr && word == "died") found.exit_code = 0;
  }
  const auto kind = kind_of(word);
  if (!kind || found.name.empty()) return std::nullopt;
  found.kind = *kind;
  return found;
}

ContainerEvents::ContainerEvents(EngineCommand engine, std::string owner)
    : engine_(std::move(engine)),
      owner_(std::move(owner)),
      // From a little before now: what happens until the command listens is told afterwards. Names
      // are used once, so older events do no harm.
      since_(fmt::format("{}", std::time(nullptr) - 5)),
      thread_([this](const std::stop_token& stop) { listen(stop); }) {}

ContainerEvents::~ContainerEvents() = default;

void ContainerEvents::listen(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    listen_once(stop);
    std::unique_lock lock(mutex_);
    listening_ = false;
    // The engine may be restarting.
    for (int i = 0; i < 20 && !stop.stop_requested(); ++i) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
    }
    listening_ = true;
  }
}

void ContainerEvents::listen_once(const std::stop_token& stop) {
  ProcessSpec spec;
  spec.argv = {
      engine_.path, "events",         "--since",  since_,
      "--filter",   "type=container", "--filter", fmt::format("label={}={}", kOwnerLabel, owner_),
      "--format",   "{{json .}}"};
  spec.env = own_environment();
  auto tree = ProcessTree::start(spec);
  if (!tree) return;
  tree->stdin_fd().reset();
  const UniqueFd stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_stop(stop, [fd = stopped.get()] {
    const std::uint64_t one = 1;
    (void)!::write(fd, &one, sizeof one);
  });
  std::string text;
  const auto take = [&](std::string_view bytes) {
    text += bytes;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      take_line(std::string_view(text).substr(0, end));
      text.erase(0, end + 1);
    }
  };
  while (!stop.stop_requested()) {
    std::array<pollfd, 4> fds{{{tree->ended_fd(), POLLIN, 0},
                               {stopped.get(), POLLIN, 0},
                               {tree->stdout_fd().get(), POLLIN, 0},
                               {tree->stderr_fd().get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), -1);
    if (fds[2].revents != 0) drain_pipe(tree->stdout_fd(), take);
    if (fds[3].revents != 0) drain_pipe(tree->stderr_fd(), [](std::string_view) {});
    if (fds[0].revents != 0) break;
  }
  tree->kill();
  (void)tree->wait();
}

void ContainerEvents::take_line(std::string_view line) {
  const auto event = parse_container_event(line);
  if (!event) return;
  const std::lock_guard lock(mutex_);
  const auto at = followed_.find(event->name);
  if (at == followed_.end()) return;
  ContainerState& state = at->second.state;
  switch (event->kind) {
    case ContainerEvent::Kind::Started:
      if (!state.started) state.started = Clock::now();
      break;
    case ContainerEvent::Kind::OutOfMemory:
      state.oom = true;
      break;
    case ContainerEvent::Kind::Died:
      state.died = true;
      if (event->exit_code) state.exit_code = event->exit_code;
      break;
    case ContainerEvent::Kind::Removed:
      state.removed = true;
      break;
  }
  const std::uint64_t one = 1;
  if (at->second.wake >= 0) (void)!::write(at->second.wake, &one, sizeof one);
  changed_.notify_all();
}

void ContainerEvents::follow(const std::string& name, int wake) {
  const std::lock_guard lock(mutex_);
  followed_[name].wake = wake;
}

void ContainerEvents::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  followed_.erase(name);
}

ContainerState ContainerEvents::state(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = followed_.find(name);
  return at == followed_.end() ? ContainerState{} : at->second.state;
}

ContainerState ContainerEvents::wait_until_dead(const std::string& name,
                                                std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  const auto state = [&] {
    const auto at = followed_.find(name);
    return at == followed_.end() ? ContainerState{} : at->second.state;
  };
  changed_.wait_for(lock, patience, [&] { return state().died || !listening_; });
  return state();
}

bool ContainerEvents::listening() const {
  const std::lock_guard lock(mutex_);
  return listening_;
}

}  // namespace cove
