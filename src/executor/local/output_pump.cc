#include "executor/local/output_pump.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

// A program that closes its stdin early must not end ours: for the time of a write, SIGPIPE is kept
// from this thread, and the one that the write raised is taken away.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
  ~WithoutSigpipe() {
    constexpr timespec kNow{0, 0};
    if (!was_pending_) {
      while (::sigtimedwait(&pipe_, nullptr, &kNow) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Writes what fits; closes the descriptor when all is written or nobody reads.
void feed(UniqueFd& fd, std::string_view& data) {
  const WithoutSigpipe quiet;
  while (!data.empty()) {
    const ssize_t done = ::write(fd.get(), data.data(), data.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) return;
    if (done < 0) break;
    data.remove_prefix(static_cast<std::size_t>(done));
  }
  fd.reset();
}

// Reads what there is; closes the descriptor at its end. Bounded, so that a flood on one stream
// does not keep the other, or the deadline, from its turn.
void drain(UniqueFd& fd, OutputCapture& capture) {
  std::array<char, 65536> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (int turn = 0; turn < 16; ++turn) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      fd.reset();
      return;
    }
    capture.consume({buffer.data(), static_cast<std::size_t>(got)});
  }
}

int poll_timeout(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

PumpEnd pump(ProcessTree& tree, const PumpJob& job, OutputCapture& out, OutputCapture& err) {
  const UniqueFd cancelled(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_cancel(job.cancel, [fd = cancelled.get()] {
    const std::uint64_t one = 1;
    (void)!::write(fd, &one, sizeof one);
  });

  std::string_view input = job.stdin_data;
  PumpEnd end = PumpEnd::Exited;
  bool ending = false;
  if (input.empty()) tree.stdin_fd().reset();
  for (;;) {
    // A descriptor of -1 is left out by poll().
    std::array<pollfd, 5> fds{{{tree.ended_fd(), POLLIN, 0},
                               {ending ? -1 : cancelled.get(), POLLIN, 0},
                               {tree.stdin_fd().get(), POLLOUT, 0},
                               {tree.stdout_fd().get(), POLLIN, 0},
                               {tree.stderr_fd().get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), ending ? 1000 : poll_timeout(job.deadline));

    if (fds[2].revents != 0) feed(tree.stdin_fd(), input);
    if (fds[3].revents != 0) drain(tree.stdout_fd(), out);
    if (fds[4].revents != 0) drain(tree.stderr_fd(), err);
    if (fds[0].revents != 0) break;
    if (ending) continue;
    if (fds[1].revents != 0 || Clock::now() >= job.deadline) {
      end = fds[1].revents != 0 ? PumpEnd::Cancelled : PumpEnd::Timeout;
      ending = true;
      tree.kill();
    }
  }

  // Nobody writes any more: what is left fits in the pipes.
  if (tree.stdout_fd()) drain(tree.stdout_fd(), out);
  if (tree.stderr_fd()) drain(tree.stderr_fd(), err);
  return end;
}

}  // namespace cove
