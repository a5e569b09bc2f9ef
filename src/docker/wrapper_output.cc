#include "docker/wrapper_output.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/strings.h"

namespace cove {

namespace {

using std::chrono::microseconds;

constexpr std::size_t kMostHead = 4096;
constexpr std::size_t kMostTail = 1U << 20U;  // counters and names of sockets

void hold(std::string& into, std::string_view bytes, std::size_t most) {
  into += bytes.substr(0, most - std::min(into.size(), most));
}

// "1m2.340000s": a shell's way to write a time.
std::optional<microseconds> shell_time(std::string_view text) {
  const std::size_t minutes_end = text.find('m');
  if (minutes_end == std::string_view::npos || !text.ends_with('s')) return std::nullopt;
  std::uint32_t minutes = 0;
  double seconds = 0;
  const char* const middle = text.data() + minutes_end;
  const char* const end = text.data() + text.size() - 1;
  const auto whole = std::from_chars(text.data(), middle, minutes);
  const auto rest = std::from_chars(middle + 1, end, seconds);
  if (whole.ec != std::errc() || whole.ptr != middle) return std::nullopt;
  if (rest.ec != std::errc() || rest.ptr != end) return std::nullopt;
  if (!(seconds >= 0 && seconds < 1e6)) return std::nullopt;
  return std::chrono::minutes(minutes) + microseconds(static_cast<std::int64_t>(seconds * 1e6));
}

// The second line of `times`: what the children used, in user and in kernel mode.
std::optional<microseconds> children_time(std::string_view times) {
  const auto lines = split(times, '\n');
  if (lines.size() < 2) return std::nullopt;
  const auto words = split(trim(lines[1]), ' ');
  if (words.size() != 2) return std::nullopt;
  const auto user = shell_time(words[0]);
  const auto kernel = shell_time(words[1]);
  if (!user || !kernel) return std::nullopt;
  return *user + *kernel;
}

}  // namespace

WrapperOutput::WrapperOutput(std::string_view mark, From from, Receiver receiver)
    : receiver_(std::move(receiver)),
      mark_(std::string(1, '\0') + std::string(mark) + "\n"),
      part_(from == From::Start ? Part::Head : Part::Program) {}

std::string_view WrapperOutput::take_head(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find_first_of("+!"), bytes.size());
  hold(head_, bytes.substr(0, end), kMostHead);
  if (end == bytes.size()) return {};
  part_ = bytes[end] == '+' ? Part::Program : Part::Complaint;
  if (part_ == Part::Program && receiver_.on_ready) receiver_.on_ready();
  return bytes.substr(end + 1);
}

// The mark begins with a byte that is nowhere else in it: a match that fails begins anew at the
// byte where it failed, or after it.
std::string_view WrapperOutput::take_program(std::string_view bytes) {
  if (matched_ == 0) {
    const std::size_t start = std::min(bytes.find('\0'), bytes.size());
    if (start > 0) receiver_.on_output(bytes.substr(0, start));
    bytes.remove_prefix(start);
  }
  while (!bytes.empty() && matched_ < mark_.size() && bytes.front() == mark_[matched_]) {
    bytes.remove_prefix(1);
    ++matched_;
  }
  if (matched_ == mark_.size()) {
    part_ = Part::Tail;
    if (receiver_.on_end) receiver_.on_end();
  } else if (!bytes.empty()) {
    receiver_.on_output(std::string_view(mark_).substr(0, std::exchange(matched_, 0)));
  }
  return bytes;
}

std::string_view WrapperOutput::take_tail(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_nul = bytes[i] == '\0';
    if (is_nul && last_was_nul_) {
      hold(held_, bytes.substr(0, i), kMostTail);
      part_ = Part::Archive;
      return bytes.substr(i + 1);
    }
    last_was_nul_ = is_nul;
  }
  hold(held_, bytes, kMostTail);
  return {};
}

void WrapperOutput::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (part_) {
      case Part::Head:
        bytes = take_head(bytes);
        break;
      case Part::Program:
        bytes = take_program(bytes);
        break;
      case Part::Tail:
        bytes = take_tail(bytes);
        break;
      case Part::Complaint:
        hold(held_, bytes, kMostHead);
        return;
      case Part::Archive:
        has_archive_ = true;
        receiver_.on_archive(bytes);
        return;
    }
  }
}

void WrapperOutput::finish() {
  if (part_ != Part::Program || matched_ == 0) return;
  receiver_.on_output(std::string_view(mark_).substr(0, std::exchange(matched_, 0)));
}

std::string_view WrapperOutput::facts() const {
  return std::string_view(held_).substr(0, std::min(held_.find('\0'), held_.size()));
}

std::vector<std::string_view> WrapperOutput::sockets() const {
  std::vector<std::string_view> names = split(held_, '\0');
  if (!names.empty()) names.erase(names.begin());  // the facts
  std::erase(names, std::string_view());
  return names;
}

std::optional<microseconds> WrapperOutput::cpu() const {
  const auto before = children_time(head_);
  const auto after = children_time(facts());
  if (!before || !after || *after < *before) return std::nullopt;
  return *after - *before;
}

}  // namespace cove
