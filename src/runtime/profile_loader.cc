#include "runtime/profile_loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/strings.h"
#include "base/toml_to_json.h"
#include "base/unique_fd.h"
#include "model/limits_codec.h"
#include "runtime/compile_section.h"
#include "runtime/profile_fields.h"

namespace cove {
namespace {

// A name is typed on a command line and printed in tables, so it is kept simple.
bool is_language_name(std::string_view text) {
  return is_word(text, 64, "_+#.-") && std::isalnum(static_cast<unsigned char>(text[0])) != 0 &&
         std::ranges::none_of(text, [](unsigned char c) { return std::isupper(c) != 0; });
}

Result<std::optional<WarmMode>> read_warm(JsonFields& fields) {
  constexpr std::array<std::pair<std::string_view, WarmMode>, 4> kModes{
      {{"none", WarmMode::None},
       {"prepare", WarmMode::Prepare},
       {"spawn", WarmMode::Spawn},
       {"fork", WarmMode::Fork}}};
  std::optional<std::string> text;
  COVE_TRY(fields.read("warm", text));
  if (!text) return std::nullopt;
  const auto* mode = std::ranges::find(kModes, std::string_view(*text),
                                       [](const auto& entry) { return entry.first; });
  if (mode == kModes.end()) {
    return fields.error("warm", "must be \"none\", \"prepare\", \"spawn\" or \"fork\"");
  }
  return mode->second;
}

Result<InterpreterChoice> read_alternative(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  InterpreterChoice choice;
  COVE_TRY(fields.require("command"));
  COVE_TRY(read_text(fields, "command", choice.command));
  if (!is_command(choice.command)) {
    return fields.error("command", fmt::format("must be {}", kCommandForm));
  }
  COVE_TRY(read_strings(fields, "needs", choice.needs));
  // A needed command is found by its name because `{NAME}` then stands for it in arguments.
  COVE_TRY(check_each(
      fields, "needs", choice.needs,
      [](const std::string& need) { return is_word(need, 64, "_+.-"); }, "a command's name"));
  COVE_TRY(fields.read("script", choice.script));
  COVE_TRY(read_text(fields, "min_version", choice.min_version));
  if (!choice.min_version.empty() &&
      choice.min_version.find_first_not_of("0123456789.") != std::string::npos) {
    return fields.error("min_version", "must be numbers and points, such as \"22.6\"");
  }
  COVE_TRY(read_strings(fields, "version_args", choice.version_args));
  COVE_TRY(read_program_args(fields, "run_args", choice.run_args));
  COVE_TRY(read_program_args(fields, "warm_args", choice.warm_args));
  COVE_TRY(read_program_args(fields, "harness_args", choice.harness_args));
  COVE_ASSIGN(choice.warm, read_warm(fields));
  COVE_TRY(read_variables(fields, "env", choice.env));
  COVE_TRY(fields.no_others());
  return choice;
}

Result<> read_alternatives(JsonFields& fields, std::vector<InterpreterChoice>& out) {
  const json::value* value = fields.find("alternative");
  if (value == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*value, "alternative"));
  if (array->size() > kMaxProfileEntries) {
    return fields.error("alternative",
                        fmt::format("must have at most {} entries", kMaxProfileEntries));
  }
  out.clear();
  for (const json::value& entry : *array) {
    COVE_ASSIGN(auto choice, read_alternative(entry, fmt::format("alternative[{}]", out.size())));
    out.push_back(std::move(choice));
  }
  return {};
}

// What another profile gives to one that extends it: everything but what it is known by.
Result<> inherit(JsonFields& fields, const ProfileLookup& lookup, LanguageProfile& profile) {
  std::optional<std::string> base_name;
  COVE_TRY(fields.read("extends", base_name));
  if (!base_name) return {};
  const LanguageProfile* base = lookup ? lookup(*base_name) : nullptr;
  if (base == nullptr) {
    return fields.error("extends", fmt::format("there is no profile {}", quoted(*base_name)));
  }
  profile = *base;
  profile.name.clear();
  profile.aliases.clear();
  profile.install.clear();
  // Its own interpreters replace all of the base's, however the base states them.
  if (fields.find("interpreters") != nullptr || fields.find("alternative") != nullptr) {
    profile.interpreters.clear();
    profile.alternatives.clear();
  }
  return {};
}

Result<> read_identity(JsonFields& fields, LanguageProfile& profile) {
  constexpr std::string_view kNameForm =
      "a name of lower-case letters, digits and _ + # . - that starts with a letter or digit";
  constexpr std::string_view kExtensionForm = "letters and digits without a point, such as \"py\"";
  const auto is_extension = [](const std::string& text) { return is_word(text, 16, ""); };
  COVE_TRY(fields.require("name"));
  COVE_TRY(read_text(fields, "name", profile.name));
  if (!is_language_name(profile.name)) {
    return fields.error("name", fmt::format("must be {}", kNameForm));
  }
  COVE_TRY(read_strings(fields, "aliases", profile.aliases));
  COVE_TRY(check_each(fields, "aliases", profile.aliases, is_language_name, kNameForm));
  const bool own_extension = fields.find("extension") != nullptr;
  COVE_TRY(read_text(fields, "extension", profile.extension));
  if (!is_extension(profile.extension)) {
    return fields.error("extension", fmt::format("must be {}", kExtensionForm));
  }
  if (own_extension) profile.file_extensions = {profile.extension};
  COVE_TRY(read_strings(fields, "file_extensions", profile.file_extensions));
  return check_each(fields, "file_extensions", profile.file_extensions, is_extension,
                    kExtensionForm);
}

Result<> read_start(JsonFields& fields, LanguageProfile& profile) {
  COVE_TRY(read_strings(fields, "interpreters", profile.interpreters));
  COVE_TRY(check_each(fields, "interpreters", profile.interpreters, is_command, kCommandForm));
  COVE_TRY(read_alternatives(fields, profile.alternatives));
  if (profile.interpreters.empty() && profile.alternatives.empty()) {
    return fields.error("interpreters", "must name at least one command (or use [[alternative]])");
  }
  COVE_TRY(read_strings(fields, "version_args", profile.version_args));
  COVE_TRY(read_program_args(fields, "run_args", profile.run_args));
  COVE_TRY(read_compile_section(fields, profile));
  COVE_TRY(read_check_section(fields, profile));
  if (profile.run_args.empty() && !profile.compile) {
    return fields.error("run_args", "is needed; the simplest is [\"{program}\"]");
  }
  COVE_TRY(read_program_args(fields, "harness_args", profile.harness_args));
  COVE_TRY(read_variables(fields, "env", profile.env));
  COVE_TRY(read_strings(fields, "mounts", profile.mounts));
  return check_each(fields, "mounts", profile.mounts, is_plain_absolute_path,
                    "an absolute path without . and .. below /");
}

Result<> read_warmth(JsonFields& fields, LanguageProfile& profile) {
  COVE_ASSIGN(const auto warm, read_warm(fields));
  if (warm) profile.warm = *warm;
  COVE_TRY(read_program_args(fields, "warm_args", profile.warm_args));
  COVE_TRY(read_variables(fields, "warm_env", profile.warm_env));
  COVE_TRY(read_strings(fields, "preload", profile.preload));
  const bool starts_early = profile.warm == WarmMode::Spawn || profile.warm == WarmMode::Fork;
  if (starts_early && profile.warm_args.empty()) {
    return fields.error("warm_args", "is needed when warm is \"spawn\" or \"fork\"");
  }
  if (!profile.preload.empty() && profile.warm != WarmMode::Fork) {
    return fields.error("preload", "is possible only when warm is \"fork\"");
  }
  return {};
}

// One word, as `docker run` takes it: what starts with a dash would be read as an option.
bool is_image_name(std::string_view text) {
  return is_word(text, 255, "_.-/:@") && std::isalnum(static_cast<unsigned char>(text[0])) != 0;
}

Result<> read_container(JsonFields& outer, ContainerProfile& container) {
  const json::value* value = outer.find("container");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields fields, JsonFields::of(*value, "container"));
  for (const char* key : {"image", "argv", "stdin_argv"}) fields.find(key);
  COVE_TRY(fields.no_others());
  COVE_TRY(read_text(fields, "image", container.image));
  if (!container.image.empty() && !is_image_name(container.image)) {
    return fields.error("image", "must be the name of an image, such as \"python:3.12-slim\"");
  }
  COVE_TRY(read_program_args(fields, "argv", container.argv));
  COVE_TRY(read_strings(fields, "stdin_argv", container.stdin_argv));
  if (container.argv.empty()) {
    return fields.error("argv", "is needed: the command and {program}");
  }
  return {};
}

// A key that is misspelt is the likely reason why another is missing: it is named first.
Result<> refuse_unknown_keys(const json::value& document) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(document, ""));
  for (const char* key :
       {"name",         "extends",     "aliases",      "extension",  "file_extensions",
        "interpreters", "alternative", "version_args", "run_args",   "harness_args",
        "env",          "mounts",      "warm",         "warm_args",  "warm_env",
        "preload",      "limits",      "install",      "link_files", "container",
        "compile",      "check"}) {
    fields.find(key);
  }
  return fields.no_others();
}

Result<LanguageProfile> read_profile(const json::value& document, std::string_view source,
                                     const ProfileLookup& lookup) {
  COVE_TRY(refuse_unknown_keys(document));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(document, ""));
  LanguageProfile profile;
  COVE_TRY(inherit(fields, lookup, profile));
  COVE_TRY(read_identity(fields, profile));
  COVE_TRY(read_start(fields, profile));
  COVE_TRY(read_warmth(fields, profile));
  if (const json::value* limits = fields.find("limits")) {
    COVE_ASSIGN(profile.limits, decode_limits(*limits, "limits"));
  }
  COVE_TRY(read_container(fields, profile.container));
  COVE_TRY(read_text(fields, "install", profile.install));
  COVE_TRY(fields.read("link_files", profile.link_files));
  COVE_TRY(fields.no_others());
  profile.source = source;
  return profile;
}

Result<std::string> read_bounded_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) {
    return Err(Error(
        ErrorCode::InvalidRequest,
        fmt::format("cannot read {}: {}", quoted(path), std::system_category().message(errno))));
  }
  if (!S_ISREG(info.st_mode)) {
    return Err(Error::invalid_field("profile", path + " is not a regular file"));
  }
  std::string text(kMaxProfileFile.value + 1, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(Error::from_errno("cannot read " + path));
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
  }
  text.resize(used);
  return text;
}

}  // namespace

Result<LanguageProfile> parse_profile(std::string_view text, std::string_view source,
                                      const ProfileLookup& lookup) {
  if (text.size() > kMaxProfileFile.value) {
    return Err(Error::invalid_field(
        "profile", fmt::format("{} is larger than {} KiB", source, kMaxProfileFile.value >> 10U)));
  }
  COVE_ASSIGN(json::value document, toml_to_json(text, source));
  auto profile = read_profile(document, source, lookup);
  if (!profile) return Err(std::move(profile).error().with_context(source));
  return profile;
}

Result<LanguageProfile> load_profile(const std::string& path, const ProfileLookup& lookup) {
  COVE_ASSIGN(const std::string text, read_bounded_file(path));
  return parse_profile(text, path, lookup);
}

}  // namespace cove
