#include "toolchain/run_contract.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "toolchain/source_words.h"

namespace cove {
namespace {

// Words that stand in front of a name without declaring it.
constexpr std::array<std::string_view, 16> kUses{
    "return", "else",  "new", "throw", "case", "goto",   "in",        "go",
    "defer",  "await", "and", "or",    "not",  "import", "co_return", "co_await"};

std::string_view base_of(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

std::string_view extension_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Whether what follows this token can be the name of a declaration: a word (`fn`, a type) or the
// end of a type; in Go also that of a method's receiver.
bool declares(std::string_view before, std::string_view syntax) {
  if (before.empty()) return false;
  if (is_name(before.front())) return std::ranges::find(kUses, before) == kUses.end();
  if (before == ")") return syntax == "go";
  return before == ">" || before == "&" || before == "*" || before == "]";
}

std::optional<RunPlace> find_in(const ExecFile& file, const std::string& syntax) {
  const std::string text = blank_literals(file.content, syntax);
  std::optional<RunPlace> found;
  std::string_view before;
  RunPlace here{file.name, 1, 1, 0};
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (is_name(text[at]) && end < text.size() && is_name(text[end])) ++end;
    const std::string_view token = std::string_view(text).substr(at, end - at);
    if (token == "\n") {
      ++here.line;
      line_start = end;
    }
    if (token == "{") ++here.depth;
    if (token == "}") --here.depth;
    if (token == "run" && declares(before, syntax) && (!found || here.depth < found->depth)) {
      here.column = static_cast<std::uint32_t>(at - line_start + 1);
      found = here;
    }
    if (std::isspace(static_cast<unsigned char>(token.front())) == 0) before = token;
    at = end;
  }
  return found;
}

}  // namespace

bool is_caller(const RunContract& contract, std::string_view file_name) {
  return std::ranges::any_of(contract.callers, [&](const std::string& caller) {
    return file_name == caller || (caller.starts_with('/') && file_name.ends_with(caller));
  });
}

bool names_caller(const RunContract& contract, std::string_view text) {
  return std::ranges::any_of(contract.callers, [&](const std::string& caller) {
    return has_words(text, base_of(caller));
  });
}

std::optional<RunPlace> find_run(const RunContract& contract, std::span<const ExecFile> files) {
  std::optional<RunPlace> found;
  for (const ExecFile& file : files) {
    const bool is_entry = file.name == contract.entry;
    if (extension_of(file.name) != extension_of(contract.entry)) continue;
    if ((found && !is_entry) || is_caller(contract, file.name)) continue;
    if (auto place = find_in(file, contract.syntax)) found = std::move(place);
  }
  return found;
}

}  // namespace cove
