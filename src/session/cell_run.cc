#include "session/cell_run.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/parse_duration.h"

namespace cove {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxShownBytes = 32U << 20U;
constexpr std::size_t kMaxDisplays = 1000;
constexpr milliseconds kCpuCheckInterval{50};
constexpr milliseconds kDeathPatience{200};
constexpr std::size_t kPipeRead = 64U << 10U;

// A stop token as a descriptor that poll can wait for.
struct Waker {
  int fd;
  void operator()() const {
    const std::uint64_t one = 1;
    if (::write(fd, &one, sizeof one) < 0) return;  // full: it is readable already
  }
};

std::size_t size_of(const RichData& data) {
  std::size_t size = 0;
  for (const auto& [type, text] : data) size += type.size() + text.size();
  return size;
}

void add_note(CellResult& result, std::string note) {
  if (std::ranges::find(result.notes, note) == result.notes.end()) {
    result.notes.push_back(std::move(note));
  }
}

}  // namespace

CellRun::CellRun(Member& member, const CellLimits& limits, CellSink* sink)
    : member_(member),
      limits_(limits),
      sink_(sink),
      output_(OutputCapture::Stream::Stdout, limits.output, TruncationStyle::Head, sink),
      errors_(OutputCapture::Stream::Stderr, limits.errors, TruncationStyle::Head, sink) {}

CellResult CellRun::run(std::uint64_t number, std::string_view code,
                        const std::stop_token& cancel) {
  number_ = number;
  result_.count = number;
  started_at_ = Clock::now();
  deadline_ = started_at_ + limits_.timeout;
  if (member_.group() != nullptr) cpu_before_ = member_.group()->usage().cpu;
  if (member_.ran_out_of_memory()) {
    add_note(result_, "the session ran out of memory between cells, and lost a process");
  }
  if (auto sent = member_.channel.send("cell", number, code, {}, deadline_ + limits_.grace);
      !sent) {
    lose("the interpreter did not take the cell");
  }
  loop(cancel);
  conclude();
  return std::move(result_);
}

void CellRun::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  if (listening_) member_.interrupt();
}

void CellRun::loop(const std::stop_token& cancel) {
  const UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback wake(cancel, Waker{event.get()});
  while (!done_ && !lost_) wait_once(stop_ == Stop::No ? event.get() : -1);
}

void CellRun::wait_once(int cancel_event) {
  std::array<pollfd, 6> slots{};
  slots[0] = {member_.output.get(), POLLIN, 0};
  slots[1] = {member_.errors.get(), POLLIN, 0};
  slots[2] = {member_.channel.fd(), POLLIN, 0};
  slots[3] = {member_.pidfd(), POLLIN, 0};
  slots[4] = {member_.oom_event_fd(), POLLIN, 0};
  slots[5] = {cancel_event, POLLIN, 0};
  auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
  if (limits_.cpu_time && member_.group() != nullptr) left = std::min(left, kCpuCheckInterval);
  const int ready = ::poll(slots.data(), slots.size(),
                           static_cast<int>(std::clamp<long>(left.count(), 0, 3'600'000)));
  if (ready < 0 && errno != EINTR) lose("poll failed");
  if (ready > 0) {
    if (slots[0].revents != 0) read_some(member_.output, output_);
    if (slots[1].revents != 0) read_some(member_.errors, errors_);
    if (slots[2].revents != 0) read_messages();
    if (slots[3].revents != 0 && !done_) {
      read_messages();  // what it said before it died
      if (!done_) lose("");
    }
    if (slots[4].revents != 0) {
      oom_ = true;
      lose("");
    }
    if (slots[5].revents != 0) ask_to_stop(Stop::Cancel);
  }
  // Also when something is always ready: a flood must not hold back the clock.
  if (!done_ && !lost_) on_time();
}

void CellRun::on_time() {
  const auto now = Clock::now();
  if (now >= deadline_) {
    if (stop_ == Stop::No) {
      add_note(result_, "stopped by the timeout of " + format_duration(limits_.timeout));
      ask_to_stop(Stop::Deadline);
    } else {
      lose(
          fmt::format("the interpreter did not end the cell within {} ms of being interrupted, "
                      "and was killed",
                      limits_.grace.count()));
    }
    return;
  }
  if (limits_.cpu_time && member_.group() != nullptr && stop_ == Stop::No &&
      member_.group()->usage().cpu - cpu_before_ >= *limits_.cpu_time) {
    add_note(result_, "the processor time of the cell was used up");
    ask_to_stop(Stop::Cpu);
  }
}

void CellRun::ask_to_stop(Stop why) {
  stop_ = why;
  deadline_ = Clock::now() + limits_.grace;
  interrupt();
}

void CellRun::lose(std::string_view why) {
  lost_ = true;
  if (!why.empty()) add_note(result_, std::string(why));
}

void CellRun::read_messages() {
  const bool open = member_.channel.fill();
  while (auto frame = member_.channel.next()) {
    auto message = parse_runner_message(*frame);
    if (!message) {
      lose("the cell broke the interpreter's control channel: " + message.error().message());
      return;
    }
    take(std::move(*message));
    if (done_) return;
  }
  if (open) return;
  if (member_.channel.broken()) {
    lose("the cell wrote rubbish to the interpreter's control channel");
  } else if (member_.wait_until_ended(kDeathPatience)) {
    lose("");  // a dying process closes its files first
  } else {
    lose("the cell closed the interpreter's control channel");
  }
}

void CellRun::take(RunnerMessage message) {
  if (std::holds_alternative<RunnerStarted>(message)) {
    const std::lock_guard lock(mutex_);
    listening_ = true;
    if (interrupted_) member_.interrupt();
  } else if (auto* display = std::get_if<RunnerDisplay>(&message)) {
    show(std::move(display->data));
  } else if (auto* done = std::get_if<RunnerDone>(&message)) {
    // An answer to another cell is a forgery, or a process that a cell left behind.
    if (done->number == number_) done_ = std::move(*done);
  }
}

void CellRun::show(RichData data) {
  shown_bytes_ += size_of(data);
  if (shown_bytes_ > kMaxShownBytes || result_.displays.size() >= kMaxDisplays) {
    add_note(result_, fmt::format("displays past {} MiB or {} in number were dropped",
                                  kMaxShownBytes >> 20U, kMaxDisplays));
    return;
  }
  if (sink_ != nullptr) sink_->on_display(data);
  result_.displays.push_back(std::move(data));
}

void CellRun::read_some(UniqueFd& pipe, OutputCapture& capture) {
  std::array<char, kPipeRead> buffer{};
  const ssize_t n = ::read(pipe.get(), buffer.data(), buffer.size());
  if (n > 0) capture.consume({buffer.data(), static_cast<std::size_t>(n)});
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) pipe.reset();
}

void CellRun::drain(UniqueFd& pipe, OutputCapture& capture) {
  if (!pipe) return;
  // What is in the pipe now was written before the cell's end; what comes while we read was not.
  int waiting = 0;
  if (::ioctl(pipe.get(), FIONREAD, &waiting) != 0) return;
  std::array<char, kPipeRead> buffer{};
  while (waiting > 0) {
    const auto want = std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(waiting));
    const ssize_t n = ::read(pipe.get(), buffer.data(), want);
    if (n <= 0) return;
    capture.consume({buffer.data(), static_cast<std::size_t>(n)});
    waiting -= static_cast<int>(n);
  }
}

void CellRun::conclude() {
  {
    const std::lock_guard lock(mutex_);
    listening_ = false;
  }
  if (lost_) {
    oom_ = member_.ran_out_of_memory() || oom_;
    if (!oom_ && stop_ == Stop::No) {
      const bool dead = !member_.alive();
      const std::string how = dead ? member_.how_it_ended() : "";
      if (dead) result_.error = CellError{how, "the session's process died: " + how, {}};
    }
    member_.kill();
    result_.state_lost = true;
  }
  drain(member_.output, output_);
  drain(member_.errors, errors_);
  ExecutionResult streams;
  output_.finish(streams);
  errors_.finish(streams);
  result_.stdout_data = std::move(streams.stdout_data);
  result_.stderr_data = std::move(streams.stderr_data);
  result_.stdout_truncated = streams.stdout_truncated;
  result_.stderr_truncated = streams.stderr_truncated;
  if (done_) {
    result_.value = std::move(done_->value);
    result_.error = std::move(done_->error);
    result_.status = done_->ok ? ExecutionStatus::Success : ExecutionStatus::Failed;
    if (interrupted_ && !done_->ok) result_.status = ExecutionStatus::Cancelled;
  }
  if (stop_ == Stop::Deadline || stop_ == Stop::Cpu) result_.status = ExecutionStatus::Timeout;
  if (stop_ == Stop::Cancel) result_.status = ExecutionStatus::Cancelled;
  if (oom_) result_.status = ExecutionStatus::Oom;
  result_.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_at_);
}

}  // namespace cove
