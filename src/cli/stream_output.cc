#include "cli/stream_output.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/console.h"

namespace cove {

namespace {

constexpr std::chrono::seconds kQuietBeforeProgress{2};
constexpr std::chrono::milliseconds kProgressStep{500};

}  // namespace

StreamOutput::StreamOutput(StreamOptions options, std::stop_source& stop)
    : stop_(stop),
      diagnostics_(options.diagnostics),
      out_{STDOUT_FILENO, !options.raw && ::isatty(STDOUT_FILENO) == 1, {}},
      err_{STDERR_FILENO, !options.raw && ::isatty(STDERR_FILENO) == 1, {}} {
  if (options.progress) {
    progress_ = std::jthread([this](const std::stop_token& done) { show_progress(done); });
  }
}

StreamOutput::~StreamOutput() {
  finish();
}

bool StreamOutput::on_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  on_stderr(render_diagnostics(diagnostics, diagnostics_));
  return true;
}

void StreamOutput::on_notice(std::string_view message) {
  const std::scoped_lock lock(mutex_);
  clear_progress();
  say(escape_file_name(message));  // it may come from a server
  last_output_ = std::chrono::steady_clock::now();
}

void StreamOutput::print(Channel& channel, std::string_view bytes) {
  if (reader_gone_ || bytes.empty()) return;
  const std::scoped_lock lock(mutex_);
  clear_progress();
  const bool written = channel.filtered ? write_fully(channel.fd, channel.filter.filter(bytes))
                                        : write_fully(channel.fd, bytes);
  if (!written) {
    reader_gone_ = true;
    stop_.request_stop();
  }
  last_output_ = std::chrono::steady_clock::now();
  at_line_start_ = bytes.ends_with('\n');
}

void StreamOutput::finish() {
  if (progress_.joinable()) {
    progress_.request_stop();
    progress_.join();
  }
  const std::scoped_lock lock(mutex_);
  clear_progress();
  for (Channel* channel : {&out_, &err_}) {
    if (!reader_gone_) (void)write_fully(channel->fd, channel->filter.finish());
  }
}

void StreamOutput::show_progress(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    wake_.wait_for(lock, done, kProgressStep, [] { return false; });
    const auto now = std::chrono::steady_clock::now();
    if (done.stop_requested() || !at_line_start_ || now - last_output_ < kQuietBeforeProgress) {
      continue;
    }
    const double elapsed = std::chrono::duration<double>(now - started_).count();
    const std::string text = fmt::format("running … {:.1f} s", elapsed);
    (void)write_fully(STDERR_FILENO, "\r\x1b[2K" + tinted(text, Tint::Quiet, STDERR_FILENO));
    progress_shown_ = true;
  }
}

void StreamOutput::clear_progress() {
  if (!progress_shown_) return;
  (void)write_fully(STDERR_FILENO, "\r\x1b[2K");
  progress_shown_ = false;
}

}  // namespace cove
