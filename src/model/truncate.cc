#include "model/truncate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

// Skips what is left of a character whose start was cut off.
std::string_view from_character_start(std::string_view tail) {
  std::size_t skip = 0;
  while (skip < tail.size() && skip < 3 &&
         (static_cast<unsigned char>(tail[skip]) & 0xC0U) == 0x80U) {
    ++skip;
  }
  return tail.substr(skip);
}

std::string head_of(std::string_view head, std::uint64_t budget) {
  return std::string(head.substr(0, utf8_cut(head, budget)));
}

std::string with_notice(std::string_view head, std::uint64_t total, std::uint64_t budget) {
  const auto line = [&](std::uint64_t shown) {
    return fmt::format("[truncated: the first {} of {} bytes are shown]\n", shown, total);
  };
  // The longest that the line can get, and a newline before it.
  const std::uint64_t room = line(budget).size() + 1;
  if (budget <= room) return head_of(head, budget);
  std::string out = head_of(head, budget - room);
  const std::uint64_t shown = out.size();
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out + line(shown);
}

std::string with_both_ends(std::string_view head, std::string_view tail, std::uint64_t total,
                           std::uint64_t budget) {
  const auto marker = [](std::uint64_t omitted) {
    return fmt::format("\n... [{} bytes truncated] ...\n", omitted);
  };
  const std::uint64_t room = marker(total).size();
  if (budget < 2 * room) return head_of(head, budget);

  const std::uint64_t head_share = std::min(budget * 7 / 10, budget - room);
  const std::uint64_t tail_share = budget - room - head_share;
  std::string out = head_of(head, head_share);
  const std::string_view end = from_character_start(
      tail.substr(tail.size() - std::min<std::uint64_t>(tail_share, tail.size())));
  out += marker(total - out.size() - end.size());
  out += end;
  return out;
}

std::string shorten(std::string_view head, std::string_view tail, std::uint64_t total,
                    std::uint64_t budget, TruncationStyle style) {
  switch (style) {
    case TruncationStyle::Head:
      return head_of(head, budget);
    case TruncationStyle::HeadTail:
      return with_both_ends(head, tail, total, budget);
    case TruncationStyle::Notice:
      return with_notice(head, total, budget);
  }
  std::unreachable();
}

}  // namespace

TruncatedText truncate_output(std::string_view text, Bytes budget, TruncationStyle style) {
  if (text.size() <= budget.value) return {std::string(text), false};
  return {shorten(text, text, text.size(), budget.value, style), true};
}

std::string_view CappedOutput::append(std::string_view bytes) {
  const std::uint64_t room = budget_ > total_ ? budget_ - total_ : 0;
  const std::string_view accepted = bytes.substr(0, room);
  head_ += accepted;
  total_ += bytes.size();
  if (style_ != TruncationStyle::HeadTail) return accepted;

  // The end of a stream takes at most 30 % of the budget; keeping twice that much before trimming
  // makes a byte move once on average.
  const std::uint64_t keep = budget_ * 3 / 10 + 1;
  tail_ += bytes.substr(bytes.size() - std::min<std::uint64_t>(bytes.size(), keep));
  if (tail_.size() >= 2 * keep) tail_.erase(0, tail_.size() - keep);
  return accepted;
}

TruncatedText CappedOutput::finish() {
  if (!exceeded()) return {std::move(head_), false};
  return {shorten(head_, tail_, total_, budget_, style_), true};
}

}  // namespace cove
