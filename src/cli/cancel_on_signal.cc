#include "cli/cancel_on_signal.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace cove {

namespace {

std::atomic<int> g_wake_fd{-1};  // a signal handler has no other way to know it

void wake(int fd) {
  const std::uint64_t one = 1;
  (void)!::write(fd, &one, sizeof one);
}

void on_signal(int number) {
  const int saved = errno;
  const int fd = g_wake_fd.load();
  if (number != SIGPIPE && fd >= 0) wake(fd);
  errno = saved;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

Result<CancelOnSignal> CancelOnSignal::install(std::stop_source stop, std::stop_source again) {
  CancelOnSignal cancel;
  cancel.wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
  if (!cancel.wake_) return Err(Error::from_errno("creating an eventfd"));
  const int fd = cancel.wake_.get();
  g_wake_fd = fd;
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) handle(number, on_signal);
  cancel.waiter_ = std::jthread(
      [fd, stop = std::move(stop), again = std::move(again)](const std::stop_token& done) mutable {
        for (std::stop_source* const next : {&stop, &again}) {
          std::uint64_t one = 0;
          while (::read(fd, &one, sizeof one) < 0 && errno == EINTR) {
          }
          if (done.stop_requested()) return;
          next->request_stop();
        }
      });
  return cancel;
}

CancelOnSignal::~CancelOnSignal() {
  if (!wake_) return;
  for (const int number : {SIGINT, SIGTERM}) handle(number, SIG_DFL);
  g_wake_fd = -1;
  waiter_.request_stop();
  wake(wake_.get());
  waiter_.join();
}

}  // namespace cove
