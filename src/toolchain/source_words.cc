#include "toolchain/source_words.h"

#include <cctype>

namespace cove {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t after(std::string_view text, std::string_view end, std::size_t from) {
  const auto found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

std::size_t after_comment(std::string_view text, std::size_t at, bool nests) {
  int depth = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*") && (nests || depth == 0)) {
      ++depth;
      at += 2;
    } else if (rest.starts_with("*/")) {
      at += 2;
      if (--depth == 0) return at;
    } else {
      ++at;
    }
  }
  return at;
}

// Of a literal with escapes; one that is not closed ends with its line.
std::size_t after_quoted(std::string_view text, std::size_t at, char quote, bool many_lines) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    } else if (text[at] == '\n' && !many_lines) {
      return at;
    }
  }
  return text.size();
}

// r"…", r#"…"#, br##"…"##; `at` is behind the r.
std::size_t after_rust_raw(std::string_view text, std::size_t at) {
  std::string end = "\"";
  std::size_t open = at;
  while (open < text.size() && text[open] == '#') {
    ++open;
    end += '#';
  }
  if (open >= text.size() || text[open] != '"') return at;
  return after(text, end, open + 1);
}

// R"tag(…)tag"; `at` is at the quote.
std::size_t after_cpp_raw(std::string_view text, std::size_t at) {
  const auto open = text.find('(', at);
  if (open == std::string_view::npos || open - at > 17) return at;
  return after(text, ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"", open + 1);
}

// 'x' and '\n' are literals; 'a in <'a> is a lifetime.
bool is_rust_character(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return false;
  if (text[at + 1] == '\\') return true;
  std::size_t end = at + 2;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return end < text.size() && text[end] == '\'';
}

// Where a comment or literal that starts at `at` ends; `at` if none does.
std::size_t skip(std::string_view text, std::size_t at, std::string_view syntax) {
  const std::string_view rest = text.substr(at);
  const bool rust = syntax == "rust";
  if (rest.starts_with("//"))
    return after(text, "\n", at) - (text.find('\n', at) < text.size() ? 1 : 0);
  if (rest.starts_with("/*")) return after_comment(text, at, rust);
  const bool starts_word = at == 0 || !is_name(text[at - 1]);
  if (rust && starts_word && (rest.starts_with('r') || rest.starts_with("br"))) {
    const std::size_t open = at + (rest[0] == 'b' ? 2 : 1);
    if (const std::size_t end = after_rust_raw(text, open); end > open) return end;
  }
  if (syntax == "c" && rest.starts_with("R\"")) {
    if (const std::size_t end = after_cpp_raw(text, at + 1); end > at + 1) return end;
  }
  if (syntax == "java" && rest.starts_with("\"\"\"")) return after(text, "\"\"\"", at + 3);
  if (syntax == "go" && rest.starts_with('`')) return after(text, "`", at + 1);
  if (rest.starts_with('"')) return after_quoted(text, at, '"', rust);
  if (rest.starts_with('\'') && starts_word && (!rust || is_rust_character(text, at))) {
    return after_quoted(text, at, '\'', false);
  }
  return at;
}

}  // namespace

std::string source_words(std::string_view source, std::string_view syntax) {
  std::string out;
  bool space = false;
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (const std::size_t end = skip(source, at, syntax); end > at) {
      const bool comment =
          source.substr(at).starts_with("//") || source.substr(at).starts_with("/*");
      if (!comment) out += "\"\"";
      space = space || comment;
      at = end;
      continue;
    }
    ++at;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
      continue;
    }
    // Space matters only between words.
    if (space && !out.empty() && is_name(out.back()) && is_name(c)) out += ' ';
    space = false;
    out += c;
  }
  return out;
}

std::string blank_literals(std::string_view source, std::string_view syntax) {
  std::string out(source);
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = skip(source, at, syntax);
    if (end == at) {
      ++at;
      continue;
    }
    for (; at < end; ++at) {
      if (out[at] != '\n') out[at] = ' ';
    }
  }
  return out;
}

bool has_words(std::string_view words, std::string_view text) {
  for (auto at = words.find(text); at != std::string_view::npos && !text.empty();
       at = words.find(text, at + 1)) {
    const std::size_t end = at + text.size();
    const bool starts = at == 0 || !is_name(words[at - 1]) || !is_name(text.front());
    const bool ends = end == words.size() || !is_name(words[end]) || !is_name(text.back());
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace cove
