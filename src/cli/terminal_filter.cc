#include "cli/terminal_filter.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_kept_control(unsigned char c) {
  return c == '\n' || c == '\t' || c == '\r';
}

// Whether `text` may be the start of a character that the next chunk completes.
bool may_continue(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() >= length) return false;
  for (const char c : text.substr(1)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) return false;
  }
  return true;
}

void append_character(std::string& out, std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1 && (first < 0x20 || first == 0x7F) && !is_kept_control(first)) {
    out += '^';
    out += static_cast<char>(first ^ 0x40U);  // caret notation: ESC is ^[, DEL is ^?
    return;
  }
  // U+0080 … U+009F: some terminals take U+009B for the start of an escape sequence.
  if (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0) {
    out += fmt::format("\\x{:02X}", static_cast<unsigned char>(character[1]));
    return;
  }
  out += character;
}

}  // namespace

std::string TerminalFilter::filter(std::string_view chunk) {
  const std::string joined = pending_ + std::string(chunk);
  pending_.clear();
  std::string out;
  out.reserve(joined.size());
  std::string_view rest = joined;
  while (!rest.empty()) {
    const std::size_t length = utf8_character_length(rest);
    if (length > 0) {
      append_character(out, rest.substr(0, length));
      rest.remove_prefix(length);
    } else if (may_continue(rest)) {
      pending_ = rest;
      break;
    } else {
      out += kReplacement;
      rest.remove_prefix(1);
    }
  }
  return out;
}

std::string TerminalFilter::finish() {
  std::string out;
  if (!pending_.empty()) out = kReplacement;
  pending_.clear();
  return out;
}

}  // namespace cove
