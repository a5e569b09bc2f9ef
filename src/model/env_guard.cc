#include "model/env_guard.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace cove {
namespace {

constexpr std::string_view kLoader = "it steers the dynamic loader";
constexpr std::string_view kLibc = "it steers the C library before the program starts";
constexpr std::string_view kShell = "it makes a shell run or read something else first";
constexpr std::string_view kInterpreter =
    "it makes an interpreter run or load something else first";
constexpr std::string_view kCove = "it is reserved for Cove";

struct Rule {
  std::string_view name;
  bool prefix;  // every variable that starts so
  std::string_view reason;
};

// Allow-listing names would make `env` useless as data, so this is the list of what changes the
// program that runs. The sandbox does not depend on it: all of these act inside, after the
// lock-down.
constexpr auto kRules = std::to_array<Rule>({
    {"LD_", true, kLoader},
    {"GLIBC_TUNABLES", false, kLibc},
    {"GCONV_PATH", false, kLibc},
    {"GETCONF_DIR", false, kLibc},
    {"HOSTALIASES", false, kLibc},
    {"LOCALDOMAIN", false, kLibc},
    {"LOCPATH", false, kLibc},
    {"MALLOC_", true, kLibc},
    {"NIS_PATH", false, kLibc},
    {"NLSPATH", false, kLibc},
    {"RESOLV_HOST_CONF", false, kLibc},
    {"RES_OPTIONS", false, kLibc},
    {"TZDIR", false, kLibc},
    {"OPENSSL_CONF", false, kLibc},
    {"OPENSSL_ENGINES", false, kLibc},
    {"OPENSSL_MODULES", false, kLibc},

    {"BASH_ENV", false, kShell},
    {"BASH_FUNC_", true, kShell},
    {"BASH_LOADABLES_PATH", false, kShell},
    {"BASH_XTRACEFD", false, kShell},
    {"BASHOPTS", false, kShell},
    {"CDPATH", false, kShell},
    {"ENV", false, kShell},
    {"GLOBIGNORE", false, kShell},
    {"IFS", false, kShell},
    {"PROMPT_COMMAND", false, kShell},
    {"PS4", false, kShell},
    {"SHELLOPTS", false, kShell},
    {"ZDOTDIR", false, kShell},

    // All of PYTHON…: start-up code, search paths, allocator, and whatever the next version adds.
    {"PYTHON", true, kInterpreter},
    {"__PYVENV_LAUNCHER__", false, kInterpreter},
    {"NODE_OPTIONS", false, kInterpreter},
    {"NODE_PATH", false, kInterpreter},
    {"NODE_REPL_", true, kInterpreter},
    {"NODE_EXTRA_CA_CERTS", false, kInterpreter},
    {"NODE_CHANNEL_", true, kInterpreter},
    {"NODE_V8_COVERAGE", false, kInterpreter},
    {"BUN_", true, kInterpreter},
    {"DENO_", true, kInterpreter},
    {"TS_NODE_", true, kInterpreter},
    {"ESBUILD_BINARY_PATH", false, kInterpreter},
    {"PERL5", true, kInterpreter},
    {"PERLLIB", false, kInterpreter},
    {"PERLIO", true, kInterpreter},
    {"PERL_", true, kInterpreter},
    {"RUBYLIB", false, kInterpreter},
    {"RUBYOPT", false, kInterpreter},
    {"RUBYPATH", false, kInterpreter},
    {"RUBYSHELL", false, kInterpreter},
    {"RUBYGEMS_", true, kInterpreter},
    {"GEM_", true, kInterpreter},
    {"BUNDLE_", true, kInterpreter},
    {"LUA_INIT", true, kInterpreter},
    {"LUA_PATH", true, kInterpreter},
    {"LUA_CPATH", true, kInterpreter},
    {"PHPRC", false, kInterpreter},
    {"PHP_INI_SCAN_DIR", false, kInterpreter},
    {"R_PROFILE", true, kInterpreter},
    {"R_ENVIRON", true, kInterpreter},
    {"R_HOME", false, kInterpreter},
    {"R_LIBS", true, kInterpreter},
    {"R_DEFAULT_PACKAGES", false, kInterpreter},
    {"R_SCRIPT_DEFAULT_PACKAGES", false, kInterpreter},
    {"JAVA_TOOL_OPTIONS", false, kInterpreter},
    {"_JAVA_OPTIONS", false, kInterpreter},
    {"JDK_JAVA_OPTIONS", false, kInterpreter},
    {"CLASSPATH", false, kInterpreter},

    {"COVE_", true, kCove},
});

// Of the above, what only changes how text looks or how hashing is seeded is let through.
constexpr auto kHarmless = std::to_array<std::string_view>({
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
});

Result<> check_name(std::string_view name, std::string_view field) {
  if (name.empty()) {
    return Err(Error::invalid_field(std::string(field), "a variable must have a name"));
  }
  const std::string path =
      std::string(field) + "." + escape_file_name(name.substr(0, utf8_cut(name, 100)));
  if (name.find('=') != std::string_view::npos) {
    return Err(Error::invalid_field(path, "a name must not contain \"=\""));
  }
  if (name.find('\0') != std::string_view::npos) {
    return Err(Error::invalid_field(path, "a name must not contain a NUL byte"));
  }
  // One variable that looks like two to whoever prints or parses the environment by lines.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::ranges::any_of(name, is_control)) {
    return Err(
        Error::invalid_field(path, "a name must not contain a newline or other control character"));
  }
  const std::string_view reason = env_refusal_reason(name);
  if (reason.empty()) return {};
  return Err(Error::invalid_field(path, "must not be set by a request: " + std::string(reason)));
}

}  // namespace

std::string_view env_refusal_reason(std::string_view name) {
  if (std::ranges::find(kHarmless, name) != kHarmless.end()) return {};
  for (const Rule& rule : kRules) {
    if (rule.prefix ? name.starts_with(rule.name) : name == rule.name) return rule.reason;
  }
  return {};
}

Result<> validate_env(std::span<const std::pair<std::string, std::string>> env,
                      std::string_view field) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : env) {
    COVE_TRY(check_name(name, field));
    if (value.find('\0') != std::string::npos) {
      return Err(Error::invalid_field(std::string(field) + "." + escape_file_name(name),
                                      "the value must not contain a NUL byte"));
    }
    names.push_back(name);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return Err(
      Error::invalid_field(std::string(field) + "." + escape_file_name(*twice), "is set twice"));
}

}  // namespace cove
