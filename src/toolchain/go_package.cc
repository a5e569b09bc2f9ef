#include "toolchain/go_package.h"

#include <algorithm>
#include <cctype>

#include "toolchain/source_words.h"

namespace cove {
namespace {

constexpr std::string_view kKeyword = "package";

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view directory_of(std::string_view name) {
  const auto slash = name.rfind('/');
  return name.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
}

}  // namespace

std::optional<PackageName> find_package(std::string_view source) {
  std::string_view mark;  // of UTF-8, which go passes over
  if (source.starts_with("\xEF\xBB\xBF")) mark = source.substr(0, 3);
  const std::string text = blank_literals(source, "go");
  std::size_t at = mark.size();
  while (at < text.size() && is_space(text[at])) ++at;
  if (!std::string_view(text).substr(at).starts_with(kKeyword)) return std::nullopt;
  const std::size_t after = at + kKeyword.size();
  at = after;
  while (at < text.size() && is_space(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && is_name(text[end])) ++end;
  if (at == after || end == at) return std::nullopt;
  const std::string_view before = source.substr(0, at);
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return PackageName{std::string(source.substr(at, end - at)), at,
                     static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
                     static_cast<std::uint32_t>(at - line_start + 1)};
}

bool make_package_main(std::vector<ExecFile>& files, std::string_view entry) {
  const auto program = std::ranges::find(files, entry, &ExecFile::name);
  if (program == files.end()) return false;
  const auto own = find_package(program->content);
  if (!own || own->name == "main") return false;
  for (ExecFile& file : files) {
    if (!file.name.ends_with(".go") || directory_of(file.name) != directory_of(entry)) continue;
    const auto found = find_package(file.content);
    if (found && found->name == own->name) {
      file.content.replace(found->at, found->name.size(), "main");
    }
  }
  return true;
}

}  // namespace cove
