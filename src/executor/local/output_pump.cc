#include "executor/local/output_pump.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "executor/stream_io.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

void drain(UniqueFd& fd, OutputCapture& capture) {
  drain_pipe(fd, [&](std::string_view bytes) { capture.consume(bytes); });
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

    if (fds[2].revents != 0) feed_pipe(tree.stdin_fd(), input);
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
