#include "executor/container/container_run.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/strings.h"
#include "executor/stream_io.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
using Reason = ContainerEnd::Reason;

constexpr auto kKillPause = std::chrono::milliseconds(100);
constexpr auto kKillPatience = std::chrono::seconds(15);

// `docker kill NAME`, again and again until it has worked: a container that is being made cannot be
// killed yet.
class Killer {
 public:
  Killer(const EngineCommand& engine, std::string name) : engine_(engine), name_(std::move(name)) {}

  void begin() {
    if (!begun_) begun_ = Clock::now();
  }
  bool active() const { return begun_.has_value(); }
  bool given_up() const { return begun_ && Clock::now() - *begun_ > kKillPatience; }
  int ended_fd() const { return command_ ? command_->ended_fd() : -1; }

  // Starts the command when it is time; called after each poll().
  void step(bool ended) {
    if (!begun_ || done_) return;
    if (command_ && ended) {
      const ProcessExit exit = command_->wait();
      done_ =
          exit.wait_status && WIFEXITED(*exit.wait_status) && WEXITSTATUS(*exit.wait_status) == 0;
      command_.reset();
      again_ = Clock::now() + kKillPause;
    }
    if (command_ || done_ || Clock::now() < again_) return;
    ProcessSpec spec;
    spec.argv = {engine_.path, "kill", name_};
    spec.env = own_environment();
    spec.keep_descendants = false;
    auto started = ProcessTree::start(spec);
    if (started) command_.emplace(std::move(*started));
  }

 private:
  EngineCommand engine_;
  std::string name_;
  std::optional<Clock::time_point> begun_;
  Clock::time_point again_;
  std::optional<ProcessTree> command_;
  bool done_ = false;
};

// The client warns about its host before it starts a container. These lines are not the program's.
std::string_view without_warnings(std::string_view text) {
  constexpr std::array<std::string_view, 6> kKnown{
      "WARNING: Your kernel does not support",
      "WARNING: The requested image's platform",
      "WARNING: No swap limit support",
      "WARNING: IPv4 forwarding is disabled",
      "WARNING: image platform",
      "Resource limits are not supported and ignored on cgroups V1"};
  const auto starts = [&](std::string_view start) { return text.starts_with(start); };
  while (std::ranges::any_of(kKnown, starts)) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text;
}

class Loop {
 public:
  explicit Loop(const ContainerJob& job)
      : job_(job),
        events_(*job.events),
        container_(job.container),
        killer_(*job.engine, job.container.name),
        cancelled_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        on_cancel_(job.cancel, [fd = cancelled_.get()] {
          const std::uint64_t one = 1;
          (void)!::write(fd, &one, sizeof one);
        }) {}

  ContainerEnd run(OutputCapture& out, OutputCapture& err) {
    std::string_view input = job_.stdin_data;
    if (input.empty()) container_.in->reset();
    ContainerEnd end;
    for (;;) {
      end.state = events_.state(container_.name);
      if (finished(end.state)) break;
      if (killer_.given_up()) {
        container_.client->kill();
        break;
      }
      end_when_due(end);
      step(input, out, err, end);
    }
    finish(out, err, end);
    return end;
  }

 private:
  // With pipes of its own nothing more can come once they are closed; else the client's end
  // decides, which comes when the engine has put the container away.
  bool finished(const ContainerState& state) {
    if (client_ended_) return true;
    if (!state.died) return false;
    if (!died_) died_ = Clock::now();
    if (container_.direct && !*container_.out && !*container_.err) return true;
    return Clock::now() - *died_ > kKillPatience;
  }

  Clock::time_point due(const ContainerState& state) const {
    if (state.started) {
      return std::max(*state.started, job_.begun) + job_.timeout;
    }
    // Who hears nothing cannot wait for the word.
    return job_.begun + (events_.listening() ? job_.start_timeout : job_.timeout);
  }

  void end_when_due(ContainerEnd& end) {
    if (killer_.active() || end.state.died) return;
    if (job_.cancel.stop_requested()) {
      end.reason = Reason::Cancelled;
    } else if (Clock::now() >= due(end.state)) {
      end.reason =
          end.state.started || !events_.listening() ? Reason::Timeout : Reason::NeverStarted;
    } else {
      return;
    }
    killer_.begin();
  }

  void step(std::string_view& input, OutputCapture& out, OutputCapture& err, ContainerEnd& end) {
    std::array<pollfd, 8> fds{
        {{container_.client->ended_fd(), POLLIN, 0},
         {killer_.active() || died_ ? -1 : cancelled_.get(), POLLIN, 0},
         {container_.wake, POLLIN, 0},
         {container_.in->get(), POLLOUT, 0},
         {container_.out->get(), POLLIN, 0},
         {container_.err->get(), POLLIN, 0},
         {killer_.ended_fd(), POLLIN, 0},
         {container_.direct ? container_.client->stderr_fd().get() : -1, POLLIN, 0}}};
    int patience = killer_.active() ? 50 : poll_timeout(due(end.state));
    if (died_) patience = 100;
    (void)::poll(fds.data(), fds.size(), patience);
    if (fds[2].revents != 0) {
      std::uint64_t ignored = 0;
      (void)!::read(container_.wake, &ignored, sizeof ignored);
    }
    if (fds[3].revents != 0) feed_pipe(*container_.in, input);
    if (fds[4].revents != 0) {
      drain_pipe(*container_.out, [&](std::string_view bytes) { out.consume(bytes); });
    }
    if (fds[5].revents != 0) {
      drain_pipe(*container_.err, [&](std::string_view bytes) { take_stderr(bytes, err); });
    }
    if (fds[7].revents != 0) {
      drain_pipe(container_.client->stderr_fd(), [&](std::string_view bytes) { held_ += bytes; });
    }
    release(err);
    if (fds[0].revents != 0) client_ended_ = true;
    killer_.step(fds[6].revents != 0);
  }

  // Until the container has started, stderr is the client's.
  void take_stderr(std::string_view bytes, OutputCapture& err) {
    constexpr std::size_t kMostHeld = 1U << 20U;
    if (released_ || container_.direct) {
      err.consume(bytes);
    } else if (held_.size() < kMostHeld) {
      held_ += bytes;
    } else {
      release_now(err);
      err.consume(bytes);
    }
  }

  void release(OutputCapture& err) {
    if (!released_ && !container_.direct && events_.state(container_.name).started) {
      release_now(err);
    }
  }

  void release_now(OutputCapture& err) {
    released_ = true;
    err.consume(without_warnings(held_));
    held_.clear();
  }

  void finish(OutputCapture& out, OutputCapture& err, ContainerEnd& end) {
    if (client_ended_) {
      const ProcessExit exit = container_.client->wait();
      if (exit.wait_status && WIFEXITED(*exit.wait_status)) {
        end.client_exit = WEXITSTATUS(*exit.wait_status);
      }
      // Nobody writes any more: what is left fits in the pipes.
      if (*container_.out) {
        drain_pipe(*container_.out, [&](std::string_view bytes) { out.consume(bytes); });
      }
      if (*container_.err) {
        drain_pipe(*container_.err, [&](std::string_view bytes) { take_stderr(bytes, err); });
      }
    }
    end.state = events_.state(container_.name);
    // The engine's word may still be on its way.
    constexpr int kEngineFailed = 125;
    const bool ran = end.state.started || (end.client_exit && *end.client_exit < kEngineFailed);
    if (!end.state.died) {
      end.state = events_.wait_until_dead(
          container_.name, ran ? std::chrono::milliseconds(1000) : std::chrono::milliseconds(200));
    }
    if ((ran || end.state.died) && !container_.direct) release_now(err);
    end.before_start = std::move(held_);
  }

  const ContainerJob& job_;
  const ContainerEvents& events_;
  const RunningContainer& container_;
  Killer killer_;
  UniqueFd cancelled_;
  std::stop_callback<std::function<void()>> on_cancel_;
  std::string held_;
  bool released_ = false;
  bool client_ended_ = false;
  std::optional<Clock::time_point> died_;
};

}  // namespace

ContainerEnd run_container(const ContainerJob& job, OutputCapture& out, OutputCapture& err) {
  return Loop(job).run(out, err);
}

}  // namespace cove
