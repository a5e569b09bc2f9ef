#include "base/strings.h"

#include <algorithm>

namespace cove {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::size_t kQuotedLength = 80;

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// What a lead byte announces, and the range of the byte after it. The range is what excludes
// overlong forms, surrogates and code points past U+10FFFF (Unicode table 3-7).
struct LeadByte {
  std::size_t length;
  unsigned char second_min;
  unsigned char second_max;
};

LeadByte lead_byte(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many bytes at the start of `text` are the start of a well-formed character, complete or not.
std::size_t well_formed_prefix(std::string_view text, std::size_t announced) {
  const LeadByte lead = lead_byte(byte_at(text, 0));
  std::size_t length = 1;
  while (length < announced && length < text.size()) {
    const unsigned char next = byte_at(text, length);
    const unsigned char low = length == 1 ? lead.second_min : 0x80;
    const unsigned char high = length == 1 ? lead.second_max : 0xBF;
    if (next < low || next > high) break;
    ++length;
  }
  return length;
}

void append_hex(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[value >> 4U];
    out += kDigits[value & 0xFU];
  }
}

// Characters that move the cursor, end the line or turn its direction round where a name is shown.
bool is_misleading(std::string_view character) {
  if (character.size() == 1) {
    const unsigned char c = byte_at(character, 0);
    return c < 0x20 || c == 0x7F || c == '\\';
  }
  if (character.size() == 2) return byte_at(character, 0) == 0xC2 && byte_at(character, 1) < 0xA0;
  if (character.size() != 3 || byte_at(character, 0) != 0xE2) return false;
  const unsigned char second = byte_at(character, 1);
  const unsigned char third = byte_at(character, 2);
  // U+200E..200F, U+2028..202E, U+2066..2069.
  if (second == 0x80) return third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE);
  return second == 0x81 && third >= 0xA6 && third <= 0xA9;
}

}  // namespace

std::size_t utf8_character_length(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t announced = lead_byte(byte_at(text, 0)).length;
  if (announced == 0) return 0;
  return well_formed_prefix(text, announced) == announced ? announced : 0;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string sanitize_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t announced = lead_byte(byte_at(text, 0)).length;
    const std::size_t length = announced == 0 ? 1 : well_formed_prefix(text, announced);
    if (length == announced) {
      out += text.substr(0, length);
    } else {
      out += kReplacement;
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t utf8_cut(std::string_view text, std::size_t limit) {
  const std::size_t end = std::min(limit, text.size());
  // Only a character that begins in the last three bytes can be cut.
  for (std::size_t back = 1; back <= 3 && back <= end; ++back) {
    const std::size_t start = end - back;
    const std::size_t announced = lead_byte(byte_at(text, start)).length;
    if (announced == 0) continue;  // a continuation byte: its lead is further back
    const bool cut =
        announced > back && well_formed_prefix(text.substr(start, back), announced) == back;
    return cut ? start : end;
  }
  return end;
}

std::string escape_file_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  while (!name.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_character_length(name), 1);
    const std::string_view character = name.substr(0, length);
    const bool malformed = length == 1 && byte_at(character, 0) >= 0x80;
    if (malformed || is_misleading(character)) {
      append_hex(out, character);
    } else {
      out += character;
    }
    name.remove_prefix(length);
  }
  return out;
}

std::string quoted(std::string_view text) {
  const bool shortened = text.size() > kQuotedLength;
  const std::string_view shown = text.substr(0, utf8_cut(text, kQuotedLength));
  return "\"" + escape_file_name(shown) + (shortened ? "…\"" : "\"");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace cove
