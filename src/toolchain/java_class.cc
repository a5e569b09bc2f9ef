#include "toolchain/java_class.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cove {
namespace {

// Where a literal or comment that starts at `at` ends; `at` itself if none starts there.
std::size_t skip_literal(std::string_view text, std::size_t at) {
  const auto until = [&](std::string_view end, std::size_t from) {
    const auto found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return until("\n", at);
  if (rest.starts_with("/*")) return until("*/", at + 2);
  const bool block = rest.starts_with("\"\"\"");
  if (!block && !rest.starts_with('"') && !rest.starts_with('\'')) return at;
  const std::string_view quote = block ? "\"\"\"" : rest.substr(0, 1);
  for (std::size_t i = at + quote.size(); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(quote)) {
      return i + quote.size();
    } else if (!block && text[i] == '\n') {
      return i;  // never closed
    }
  }
  return text.size();
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Words and single symbols, without comments, strings and space.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = skip_literal(text, at); end > at) {
      at = end;
      continue;
    }
    std::size_t end = at + 1;
    if (is_name(text[at])) {
      while (end < text.size() && is_name(text[end])) ++end;
      tokens.push_back(text.substr(at, end - at));
    } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      tokens.push_back(text.substr(at, 1));
    }
    at = end;
  }
  return tokens;
}

struct TopLevelType {
  std::string name;
  bool is_public = false;
  bool has_main = false;
  bool has_run = false;  // a static one, as a harness calls it
};

bool declares_type(std::string_view word) {
  return word == "class" || word == "interface" || word == "enum" || word == "record";
}

struct Outline {
  std::string package;
  std::vector<TopLevelType> types;
};

// The name after `package`; nothing, where that is none: it becomes a word for `java`, which has
// options.
std::string package_after(const std::vector<std::string_view>& tokens, std::size_t at) {
  std::string name;
  for (++at; at < tokens.size() && tokens[at] != ";"; ++at) {
    if (tokens[at] != "." && !is_name(tokens[at].front())) return "";
    name += tokens[at];
  }
  return name.starts_with('.') ? "" : name;
}

Outline outline_of(const std::vector<std::string_view>& tokens) {
  Outline outline;
  int depth = 0;
  bool is_public = false;
  bool is_static = false;  // the member that begins
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const std::string_view next = i + 1 < tokens.size() ? tokens[i + 1] : "";
    if (token == "{") ++depth;
    if (token == "}") --depth;
    if (depth == 0) {
      if (token == "package") {
        outline.package = package_after(tokens, i);
      }
      if (token == ";" || token == "}") is_public = false;
      if (token == "public") is_public = true;
      if (declares_type(token) && !next.empty() && is_name(next.front())) {
        outline.types.push_back({std::string(next), is_public});
        is_public = false;
      }
    }
    if (depth != 1 || outline.types.empty()) continue;
    if (token == "{" || token == "}" || token == ";") is_static = false;
    if (token == "static") is_static = true;
    if (token == "void" && next == "main") outline.types.back().has_main = true;
    if (token == "run" && next == "(" && is_static) outline.types.back().has_run = true;
  }
  return outline;
}

}  // namespace

JavaClass find_java_class(std::string_view source) {
  const Outline outline = outline_of(tokens_of(source));
  const auto first_with = [&](bool TopLevelType::* property) -> const TopLevelType* {
    const auto found = std::ranges::find(outline.types, true, property);
    return found == outline.types.end() ? nullptr : &*found;
  };
  const TopLevelType* const open = first_with(&TopLevelType::is_public);
  const TopLevelType* main = first_with(&TopLevelType::has_main);
  if (main == nullptr) main = first_with(&TopLevelType::has_run);
  const TopLevelType* const first = outline.types.empty() ? nullptr : &outline.types.front();
  const TopLevelType* const start = main != nullptr ? main : open != nullptr ? open : first;
  JavaClass out{start != nullptr ? start->name : "Main", "Main"};
  out.file_stem = open != nullptr ? open->name : out.main_class;
  if (!outline.package.empty()) out.main_class = outline.package + "." + out.main_class;
  return out;
}

}  // namespace cove
