#include "cli/program_source.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "cli/read_input.h"
#include "model/request_codec.h"

namespace cove {

namespace {

bool is_known(std::string_view name, const RuntimeCatalog& catalog) {
  return std::ranges::any_of(catalog.profiles(), [&](const LanguageProfile& profile) {
    return profile.name == name ||
           std::ranges::find(profile.aliases, name) != profile.aliases.end();
  });
}

// "python3.11" is python3, then python: a version does not make another language.
std::optional<std::string> known_prefix(std::string_view command, const RuntimeCatalog& catalog) {
  for (;;) {
    if (command.empty()) return std::nullopt;
    if (is_known(command, catalog)) return std::string(command);
    const char last = command.back();
    if (last != '.' && (last < '0' || last > '9')) return std::nullopt;
    command.remove_suffix(1);
  }
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::optional<std::string> language_of_shebang(std::string_view code,
                                               const RuntimeCatalog& catalog) {
  if (!code.starts_with("#!")) return std::nullopt;
  const std::string_view line = code.substr(2, std::min(code.find('\n'), code.size()) - 2);
  bool through_env = false;
  for (const std::string_view word : split(line, ' ')) {
    const std::string_view trimmed = trim(word);
    if (trimmed.empty()) continue;
    if (!through_env && base_name(trimmed) == "env") {
      through_env = true;
      continue;
    }
    // Options and variables of env stand before the command.
    const bool of_env = trimmed.starts_with('-') || trimmed.find('=') != std::string_view::npos;
    if (through_env && of_env) continue;
    return known_prefix(base_name(trimmed), catalog);
  }
  return std::nullopt;
}

Result<Program> load_program(const ProgramSource& source, const RuntimeCatalog& catalog) {
  if (source.file && source.code) {
    return Err(Error(ErrorCode::InvalidRequest, "give a file or --code, not both"));
  }
  Program program;
  if (source.code) {
    program.code = *source.code;
  } else {
    if (!source.file && ::isatty(STDIN_FILENO) == 1) {
      return Err(Error(ErrorCode::InvalidRequest,
                       "nothing to run: give a file, --code TEXT, or a program on stdin"));
    }
    COVE_ASSIGN(program.code, read_input(source.file.value_or("-"), RequestSizeLimits{}.code));
  }

  if (source.language) {
    program.language = *source.language;
    return program;
  }
  if (source.file && *source.file != "-") {
    std::string extension = std::filesystem::path(*source.file).extension().string();
    if (extension.starts_with('.')) extension.erase(0, 1);
    if (const auto language = catalog.by_extension(extension)) {
      program.language = *language;
      return program;
    }
  }
  program.language = language_of_shebang(program.code, catalog).value_or("python");
  return program;
}

}  // namespace cove
