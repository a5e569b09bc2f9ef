#include "cli/program_source.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

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

// What a `#!` line starts: "fish" of "#!/usr/bin/env -S fish -i". Empty without such a line.
std::string_view shebang_command(std::string_view code) {
  if (!code.starts_with("#!")) return {};
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
    return base_name(trimmed);
  }
  return {};
}

// Whether `language` runs on the program `command` and that is not a language by itself: a .ts file
// that starts with "#!/usr/bin/env node" is TypeScript all the same.
bool merely_names_interpreter(std::string_view command, std::string_view language,
                              const RuntimeCatalog& catalog) {
  const auto is_it = [&](const LanguageProfile& profile) { return profile.name == command; };
  if (std::ranges::any_of(catalog.profiles(), is_it)) return false;
  return std::ranges::any_of(catalog.profiles(), [&](const LanguageProfile& profile) {
    return profile.name == language &&
           (std::ranges::any_of(profile.interpreters,
                                [&](const auto& path) { return base_name(path) == command; }) ||
            std::ranges::any_of(profile.alternatives, [&](const auto& choice) {
              return base_name(choice.command) == command;
            }));
  });
}

std::string known_languages(const RuntimeCatalog& catalog) {
  std::vector<std::string> names;
  for (const LanguageProfile& profile : catalog.profiles()) names.push_back(profile.name);
  std::ranges::sort(names);
  return join(names, ", ");
}

}  // namespace

std::optional<std::string> language_of_shebang(std::string_view code,
                                               const RuntimeCatalog& catalog) {
  return known_prefix(shebang_command(code), catalog);
}

Result<std::string> read_program(const ProgramSource& source) {
  if (source.file && source.code) {
    return Err(Error(ErrorCode::InvalidRequest, "give a file or --code, not both"));
  }
  if (source.code) return *source.code;
  if (!source.file && ::isatty(STDIN_FILENO) == 1) {
    return Err(Error(ErrorCode::InvalidRequest,
                     "nothing to run: give a file, --code TEXT, or a program on stdin"));
  }
  return read_input(source.file.value_or("-"), RequestSizeLimits{}.code);
}

Result<std::string> language_of(const ProgramSource& source, std::string_view code,
                                const RuntimeCatalog& catalog) {
  if (source.language) return *source.language;
  const std::string_view command = shebang_command(code);
  const auto by_shebang = language_of_shebang(code, catalog);
  const bool is_file = source.file && *source.file != "-" && !source.code;
  if (!is_file) return by_shebang.value_or("python");

  std::string extension = std::filesystem::path(*source.file).extension().string();
  if (extension.starts_with('.')) extension.erase(0, 1);
  const auto by_extension = catalog.by_extension(extension);
  if (by_shebang && !(by_extension && merely_names_interpreter(command, *by_extension, catalog))) {
    return *by_shebang;
  }
  if (by_extension) return *by_extension;
  std::string unknown;
  if (!command.empty()) {
    unknown = fmt::format("its #! line names {}", quoted(command));
  } else if (!extension.empty()) {
    unknown = fmt::format("its extension is {}", quoted("." + extension));
  } else {
    return "python";
  }
  return Err(Error(ErrorCode::UnsupportedLanguage,
                   fmt::format("cannot tell the language of {}: {}, which belongs to none of {}; "
                               "name it with --language",
                               quoted(*source.file), unknown, known_languages(catalog))));
}

}  // namespace cove
