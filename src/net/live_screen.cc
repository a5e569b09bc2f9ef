#include "net/live_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/console.h"

namespace cove {

namespace {

constexpr std::chrono::milliseconds kStep{100};

// The first `most` characters of a line.
std::string_view cut(std::string_view line, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < most && at < line.size(); ++i) {
    at += std::max<std::size_t>(1, utf8_character_length(line.substr(at)));
  }
  return line.substr(0, at);
}

}  // namespace

LiveScreen::LiveScreen() {
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays: Ctrl-C works
    quiet.c_cc[VMIN] = 0;
    quiet.c_cc[VTIME] = 0;
    changed_keys_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0;
  }
  (void)write_fully(STDOUT_FILENO, "\x1b[?1049h\x1b[?25l");
}

LiveScreen::~LiveScreen() {
  (void)write_fully(STDOUT_FILENO, "\x1b[?25h\x1b[?1049l");
  if (changed_keys_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

void LiveScreen::show(const std::string& text) const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  std::string out = "\x1b[H";
  std::size_t row = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (row == size.ws_row) break;
    if (row++ > 0) out += "\r\n";
    out += cut(line, size.ws_col);
    out += "\x1b[K";
  }
  out += "\x1b[J";
  (void)write_fully(STDOUT_FILENO, out);
}

bool LiveScreen::wait(std::chrono::milliseconds time, const std::stop_token& stop) const {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    pollfd keys{changed_keys_ ? STDIN_FILENO : -1, POLLIN, 0};
    if (::poll(&keys, 1, static_cast<int>(kStep.count())) <= 0) continue;
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) == 1 && (key == 'q' || key == 'Q')) return false;
  }
  return !stop.stop_requested();
}

}  // namespace cove
