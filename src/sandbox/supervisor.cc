#include "sandbox/supervisor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

namespace cove::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Once the tree is dead its pipes are at their end; this bounds what could hold them open.
constexpr milliseconds kDrainPatience{200};
constexpr milliseconds kCpuCheckInterval{50};

// A stop token as a descriptor that poll can wait for.
class CancelEvent {
 public:
  explicit CancelEvent(const std::stop_token& token) {
    if (!token.stop_possible()) return;
    event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    callback_.emplace(token, Wake{event_.get()});
  }
  int fd() const { return event_.get(); }

 private:
  struct Wake {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      if (::write(fd, &one, sizeof one) < 0) return;  // full: it is readable already
    }
  };
  UniqueFd event_;
  std::optional<std::stop_callback<Wake>> callback_;
};

class Supervisor {
 public:
  Supervisor(Guest& guest, const Watch& watch)
      : guest_(guest), watch_(watch), cancel_(watch.cancel), input_(watch.stdin_data) {
    if (watch_.live != nullptr) {
      // The guest has just been started: its number is still its own.
      main_.reset(static_cast<int>(::syscall(SYS_pidfd_open, guest_.main_pid, 0)));
    } else if (input_.empty()) {
      end_input();
    }
  }

  Result<GuestEnd> run() {
    while (!over_ || (killed_ && (guest_.stdout_read || guest_.stderr_read))) {
      if (Clock::now() >= next_wake()) {
        if (over_)
          break;  // somebody outside the tree holds a pipe: not our guest's output any more
        on_time();
        continue;
      }
      COVE_TRY(wait_once());
    }
    // The init reports when nothing is left that could write: what there is, is in the pipes.
    drain(guest_.stdout_read, watch_.on_stdout);
    drain(guest_.stderr_read, watch_.on_stderr);
    add_group_usage();
    if (failed_step_) {
      end_.failed_step = failed_step_->step;
      end_.failed_errno = failed_step_->error;
    }
    return end_;
  }

 private:
  // Places among what is polled.
  static constexpr std::size_t kOut = 0;
  static constexpr std::size_t kErr = 1;
  static constexpr std::size_t kStatus = 2;
  static constexpr std::size_t kIn = 3;
  static constexpr std::size_t kOom = 4;
  static constexpr std::size_t kCancel = 5;
  static constexpr std::size_t kLive = 6;
  static constexpr std::size_t kSlots = 7;
  static constexpr std::size_t kLivePiece = 64 << 10;

  Clock::time_point next_wake() const {
    if (over_ || killed_) return drain_until_;
    if (watch_.cpu_budget) return std::min(watch_.deadline, next_cpu_check_);
    return watch_.deadline;
  }

  void end_because(EndReason reason) {
    if (killed_ || over_) return;
    killed_ = true;
    end_.reason = reason;
    drain_until_ = Clock::now() + std::chrono::seconds(5);
    guest_.kill();
  }

  void on_time() {
    if (killed_) {
      // Killed, but the kernel has not finished: the pipes tell.
      over_ = true;
      return;
    }
    const auto now = Clock::now();
    if (now >= watch_.deadline) {
      end_because(EndReason::Deadline);
    } else if (watch_.cpu_budget && guest_.group &&
               guest_.group->usage().cpu >= *watch_.cpu_budget) {
      end_because(EndReason::CpuBudget);
    } else {
      next_cpu_check_ = now + kCpuCheckInterval;
    }
  }

  Result<> wait_once() {
    std::array<pollfd, kSlots> slots{};
    slots[kOut] = {guest_.stdout_read.get(), POLLIN, 0};
    slots[kErr] = {guest_.stderr_read.get(), POLLIN, 0};
    slots[kStatus] = {over_ ? -1 : guest_.status.get(), POLLIN, 0};
    slots[kIn] = {has_input() ? guest_.stdin_write.get() : -1, POLLOUT, 0};
    slots[kLive] = {watch_.live != nullptr && !over_ ? watch_.live->event_fd() : -1, POLLIN, 0};
    slots[kOom] = {guest_.group && !killed_ ? guest_.group->oom_event_fd() : -1, POLLIN, 0};
    slots[kCancel] = {killed_ ? -1 : cancel_.fd(), POLLIN, 0};
    const auto left = next_wake() - Clock::now();
    const auto ns = std::max<std::int64_t>(0, std::chrono::nanoseconds(left).count());
    const timespec timeout = {ns / 1'000'000'000, ns % 1'000'000'000};
    const int ready = ::ppoll(slots.data(), slots.size(), &timeout, nullptr);
    if (ready < 0 && errno != EINTR) return Err(Error::from_errno("poll"));
    if (ready <= 0) return {};
    if (slots[kOut].revents != 0) read_some(guest_.stdout_read, watch_.on_stdout);
    if (slots[kErr].revents != 0) read_some(guest_.stderr_read, watch_.on_stderr);
    if (slots[kIn].revents != 0) feed();
    if (slots[kLive].revents != 0) take_live();
    if (slots[kOom].revents != 0) end_because(EndReason::OutOfMemory);
    if (slots[kCancel].revents != 0) end_because(EndReason::Cancelled);
    if (slots[kStatus].revents != 0) read_status();
    return {};
  }

  void drain(UniqueFd& pipe, const std::function<void(std::string_view)>& sink) {
    while (pipe && read_some(pipe, sink)) {
    }
  }

  // False when there is nothing to read just now.
  bool read_some(UniqueFd& pipe, const std::function<void(std::string_view)>& sink) {
    const ssize_t n = ::read(pipe.get(), buffer_.data(), buffer_.size());
    if (n > 0) {
      sink({buffer_.data(), static_cast<std::size_t>(n)});
      return true;
    }
    if (n < 0 && errno == EINTR) return true;
    if (n == 0 || errno != EAGAIN) pipe.reset();
    return false;
  }

  bool has_input() const { return !input_.empty() || !live_piece_.empty(); }

  void feed() {
    // A guest that does not read its input gets no signal here: EPIPE just ends the feeding.
    const bool live = input_.empty();
    const std::string_view bytes = live ? std::string_view(live_piece_) : input_;
    const ssize_t n = ::write(guest_.stdin_write.get(), bytes.data(), bytes.size());
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
      input_ = {};
      live_piece_.clear();
      guest_.stdin_write.reset();
      return;
    }
    const auto written = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    if (live) {
      watch_.live->consume(written);
    } else {
      input_.remove_prefix(written);
    }
    next_piece();
  }

  // What is to be written after this, or the end of the input.
  void next_piece() {
    live_piece_.clear();
    if (!input_.empty() || !guest_.stdin_write) return;
    if (watch_.live != nullptr) {
      live_piece_ = watch_.live->peek(kLivePiece);
      if (!live_piece_.empty() || !watch_.live->closed()) return;
    }
    end_input();
  }

  void end_input() {
    if (guest_.terminal_size && guest_.stdin_write) {
      // A terminal has no other end of file; whoever reads in raw mode gets the character.
      constexpr char kEndOfInput = 4;
      if (::write(guest_.stdin_write.get(), &kEndOfInput, 1) < 0) return;  // nobody reads any more
    }
    guest_.stdin_write.reset();
  }

  void take_live() {
    watch_.live->clear_event();
    while (const auto number = watch_.live->next_signal()) {
      ::syscall(SYS_pidfd_send_signal, main_.get(), *number, nullptr, 0);
    }
    if (const auto size = watch_.live->next_size(); size && guest_.terminal_size) {
      const winsize wanted = {size->rows, size->columns, 0, 0};
      ::ioctl(guest_.stdout_read.get(), TIOCSWINSZ, &wanted);
    }
    if (live_piece_.empty()) next_piece();
  }

  void read_status() {
    Report report = {};
    const ssize_t n = ::recv(guest_.status.get(), &report, sizeof report, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n == sizeof report && report.kind == ReportKind::Failed) {
      failed_step_ = report;
      return;  // the init still tells how that process ended
    }
    if (n == sizeof report && report.kind == ReportKind::Exited) {
      end_.wait_status = report.wait_status;
      end_.cpu = std::chrono::microseconds(report.user_us + report.system_us);
      end_.peak_bytes = report.peak_kib << 10U;
      if (!killed_) end_.reason = EndReason::Exited;
    }
    over_ = true;
    guest_.stdin_write.reset();
    drain_until_ = Clock::now() + kDrainPatience;
  }

  void add_group_usage() {
    if (!guest_.group) return;
    const CgroupUsage usage = guest_.group->usage();
    end_.oom_kills = usage.oom_kills;
    end_.refused_forks = usage.refused_forks;
    end_.cpu = std::max(end_.cpu, usage.cpu);
    end_.peak_bytes = std::max(end_.peak_bytes, usage.peak_bytes);
  }

  Guest& guest_;
  const Watch& watch_;
  CancelEvent cancel_;
  std::string_view input_;
  std::string live_piece_;  // a copy of what is first in watch_.live
  UniqueFd main_;           // the main process, for signals
  GuestEnd end_;
  bool killed_ = false;  // by us
  bool over_ = false;    // the init has reported, or is gone
  Clock::time_point drain_until_;
  Clock::time_point next_cpu_check_ = Clock::now();
  std::optional<Report> failed_step_;
  std::array<char, 64 << 10> buffer_;
};

// Writing to a guest that closed its input must not kill the process that embeds us.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, &before_);
  }
  ~NoSigpipe() {
    const timespec now = {0, 0};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (::sigtimedwait(&pipe, nullptr, &now) > 0) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Result<GuestEnd> supervise(Guest& guest, const Watch& watch) {
  std::optional<NoSigpipe> quiet;
  if (!watch.stdin_data.empty() || watch.live != nullptr) quiet.emplace();
  Supervisor supervisor(guest, watch);
  return supervisor.run();
}

}  // namespace cove::sandbox
