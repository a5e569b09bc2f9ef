#include "runtime/interpreter_search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/open_in_root.h"
#include "base/replace_all.h"
#include "base/strings.h"
#include "base/unique_fd.h"
#include "runtime/mount_list.h"
#include "runtime/rustup.h"
#include "runtime/symlink_chain.h"
#include "runtime/version_probe.h"

namespace cove {
namespace {

// What a search came by, so that a failure can be explained.
using Notes = std::vector<std::string>;

enum class Scripts : unsigned char { Allowed, Refused };

bool starts_as_script(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  char head[2] = {};
  return fd && ::read(fd.get(), head, sizeof head) == 2 && head[0] == '#' && head[1] == '!';
}

// Whether `path` can be started. Only what exists and is still unusable is worth a note.
bool is_program(const std::string& path, Scripts scripts, Notes& notes) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (::access(path.c_str(), X_OK) != 0) {
    notes.push_back(path + " is not executable");
    return false;
  }
  if (scripts == Scripts::Allowed) return true;
  // A version manager's shim would start a shell and then whatever the caller's directory asks for.
  if (starts_as_script(path)) {
    notes.push_back(path + " is a script (a version manager's shim?), not an interpreter");
    return false;
  }
  if (symlink_chain(path).back() == "/usr/bin/snap") {
    notes.push_back(path + " belongs to a snap, which does not start inside a sandbox");
    return false;
  }
  return true;
}

// The same inside another root, whose links must not lead the search outside.
bool is_program_in(int root, const std::string& path, Scripts scripts, Notes& notes) {
  const UniqueFd found = open_in_root(root, path, O_PATH);
  struct stat info{};
  if (!found || ::fstat(found.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if ((info.st_mode & 0111U) == 0) {
    notes.push_back(path + " is not executable");
    return false;
  }
  if (scripts == Scripts::Allowed) return true;
  const UniqueFd file = open_in_root(root, path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  char head[2] = {};
  if (file && ::read(file.get(), head, sizeof head) == 2 && head[0] == '#' && head[1] == '!') {
    notes.push_back(path + " is a script, not an interpreter");
    return false;
  }
  return true;
}

std::optional<std::string> find_command(const std::string& command, const CommandPath& path,
                                        Scripts scripts, Notes& notes) {
  UniqueFd root;
  if (!path.root.empty()) {
    root.reset(::open(path.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return std::nullopt;
  }
  const auto usable = [&](const std::string& candidate) {
    return root ? is_program_in(root.get(), candidate, scripts, notes)
                : is_program(candidate, scripts, notes);
  };
  if (command.starts_with('/')) {
    if (usable(command)) return command;
    return std::nullopt;
  }
  for (const std::string& directory : path.directories) {
    std::string candidate = fmt::format("{}/{}", directory, command);
    if (usable(candidate)) return candidate;
  }
  return std::nullopt;
}

void fill_in(std::string& text, const std::string& placeholder, const std::string& value) {
  text = replace_all(std::move(text), placeholder, value);
}

// Puts the path of a needed command in the place of `{NAME}`.
void fill_in(LanguageProfile& profile, const std::string& name, const std::string& path) {
  const std::string placeholder = "{" + name + "}";
  for (auto* args : {&profile.run_args, &profile.warm_args, &profile.harness_args}) {
    for (std::string& arg : *args) fill_in(arg, placeholder, path);
  }
  for (auto& [variable, value] : profile.env) fill_in(value, placeholder, path);
  if (!profile.compile) return;
  CompileProfile& compile = *profile.compile;
  for (CompileStep& step : compile.steps) {
    if (step.command) fill_in(*step.command, placeholder, path);
    for (std::string& arg : step.args) fill_in(arg, placeholder, path);
  }
  for (auto* args : {&compile.run, &compile.prepare}) {
    for (std::string& arg : *args) fill_in(arg, placeholder, path);
  }
  for (auto& [variable, value] : compile.env) fill_in(value, placeholder, path);
  if (!compile.harness) return;
  for (auto* args : {&compile.harness->args, &compile.harness->run, &compile.harness->prepare}) {
    for (std::string& arg : *args) fill_in(arg, placeholder, path);
  }
}

void drop_absent_tools(LanguageProfile& profile, const CommandPath& path) {
  if (!profile.compile) return;
  Notes unheard;
  std::erase_if(profile.compile->optional, [&](const OptionalTool& tool) {
    return !find_command(tool.command, path, Scripts::Allowed, unheard);
  });
}

// The profile as it is when `choice` runs it.
LanguageProfile profile_with(LanguageProfile profile, const InterpreterChoice& choice) {
  if (choice.version_args) profile.version_args = *choice.version_args;
  if (choice.run_args) profile.run_args = *choice.run_args;
  if (choice.warm_args) profile.warm_args = *choice.warm_args;
  if (choice.harness_args) profile.harness_args = *choice.harness_args;
  if (choice.warm) profile.warm = *choice.warm;
  profile.env.insert(profile.env.end(), choice.env.begin(), choice.env.end());
  const bool starts_early = profile.warm == WarmMode::Spawn || profile.warm == WarmMode::Fork;
  if (starts_early && profile.warm_args.empty()) profile.warm = WarmMode::Prepare;
  return profile;
}

// The first run of numbers and points: "v22.6.0" and "Python 3.11.2" alike.
std::vector<unsigned> version_numbers(std::string_view text) {
  std::vector<unsigned> numbers;
  const auto first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return numbers;
  text = text.substr(first, text.find_first_not_of("0123456789.", first) - first);
  for (const std::string_view part : split(text, '.')) {
    unsigned number = 0;
    if (std::from_chars(part.data(), part.data() + part.size(), number).ec != std::errc()) break;
    numbers.push_back(number);
  }
  return numbers;
}

bool is_new_enough(const Runtime& runtime, const std::string& min_version, Notes& notes) {
  const auto version = probe_version(runtime);
  if (!version) {
    notes.push_back(version.error().message());
    return false;
  }
  if (version_numbers(*version) >= version_numbers(min_version)) return true;
  notes.push_back(
      fmt::format("{} is {}; {} or later is needed", runtime.interpreter, *version, min_version));
  return false;
}

std::optional<Runtime> try_choice(const LanguageProfile& profile, const InterpreterChoice& choice,
                                  const CommandPath& path, Notes& notes) {
  const Scripts scripts = choice.script ? Scripts::Allowed : Scripts::Refused;
  auto interpreter = find_command(choice.command, path, scripts, notes);
  if (!interpreter) return std::nullopt;
  if (path.root.empty() && is_rustup_proxy(*interpreter)) {
    interpreter = behind_rustup(*interpreter, notes);
    if (!interpreter) return std::nullopt;
  }
  Runtime runtime{profile_with(profile, choice), *interpreter, {}};
  for (const std::string& need : choice.needs) {
    const auto found = find_command(need, path, Scripts::Allowed, notes);
    if (!found) {
      notes.push_back(fmt::format("{} needs the command \"{}\"", *interpreter, need));
      return std::nullopt;
    }
    fill_in(runtime.profile, need, *found);
    runtime.needs.push_back(*found);
  }
  if (!choice.min_version.empty() && !path.root.empty()) {
    notes.push_back(
        fmt::format("{} would have to be {} or later, and a program of an image is not "
                    "started to be asked",
                    *interpreter, choice.min_version));
    return std::nullopt;
  }
  if (!choice.min_version.empty() && !is_new_enough(runtime, choice.min_version, notes)) {
    return std::nullopt;
  }
  drop_absent_tools(runtime.profile, path);
  runtime.root = path.root;
  if (!path.root.empty()) return runtime;
  MountList mounts = list_mounts(runtime.interpreter, runtime.needs, runtime.profile.mounts);
  runtime.interpreter = std::move(mounts.interpreter);
  runtime.mounts = std::move(mounts.paths);
  return runtime;
}

std::string explain_failure(const LanguageProfile& profile, bool in_image, Notes notes) {
  std::vector<std::string> commands = profile.interpreters;
  for (const InterpreterChoice& choice : profile.alternatives) commands.push_back(choice.command);
  std::vector<std::string> looked_for;  // each once, in the order of the search
  for (std::string& command : commands) {
    if (std::ranges::find(looked_for, command) == looked_for.end()) looked_for.push_back(command);
  }
  std::string message = fmt::format("{} is not usable {}: looked for {}", profile.name,
                                    in_image ? "in this image" : "here", join(looked_for, ", "));
  std::vector<std::string> said;
  for (std::string& note : notes) {
    if (std::ranges::find(said, note) == said.end()) said.push_back(std::move(note));
  }
  if (!said.empty()) message += "; " + join(said, "; ");
  if (!profile.install.empty() && !in_image) message += ". To get it: " + profile.install;
  return message;
}

}  // namespace

CommandPath CommandPath::of_host() {
  CommandPath result;
  const auto add = [&](std::string_view directory) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
    // A relative entry would let the caller's current directory choose the interpreter.
    if (!directory.starts_with('/')) return;
    if (std::ranges::find(result.directories, directory) == result.directories.end()) {
      result.directories.emplace_back(directory);
    }
  };
  if (const char* host_path = ::secure_getenv("PATH")) {
    for (const std::string_view directory : split(host_path, ':')) add(directory);
  }
  for (const char* directory : {"/usr/local/bin", "/usr/bin", "/bin"}) add(directory);
  return result;
}

Result<Runtime> choose_interpreter(const LanguageProfile& profile, const CommandPath& path) {
  Notes notes;
  std::vector<std::string> commands = profile.interpreters;
  if (!path.root.empty()) {
    // On a host PATH may lead to a version manager; an image's is what its makers meant: plain
    // names first. Two copies, since libstdc++'s stable_partition warns under clang.
    const auto is_path = [](const std::string& name) { return name.starts_with('/'); };
    commands.clear();
    std::ranges::remove_copy_if(profile.interpreters, std::back_inserter(commands), is_path);
    std::ranges::copy_if(profile.interpreters, std::back_inserter(commands), is_path);
  }
  for (const std::string& command : commands) {
    InterpreterChoice choice;
    choice.command = command;
    if (auto runtime = try_choice(profile, choice, path, notes)) return *std::move(runtime);
  }
  for (const InterpreterChoice& choice : profile.alternatives) {
    if (auto runtime = try_choice(profile, choice, path, notes)) return *std::move(runtime);
  }
  return Err(Error(ErrorCode::UnsupportedLanguage,
                   explain_failure(profile, !path.root.empty(), std::move(notes))));
}

}  // namespace cove
