#include "cli/option_names.h"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/console.h"
#include "cli/exit_code.h"

namespace cove {

namespace {

struct OptionName {
  std::string_view field;
  std::string_view option;
  bool given;
};

// Replaces `what` where it is a word of its own: not the tail of "policy.limits.cpus".
void replace_word(std::string& text, std::string_view what, std::string_view with) {
  const auto continues = [](char c) {
    return c == '.' || c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  for (auto at = text.find(what); at != std::string::npos;) {
    const auto end = at + what.size();
    const bool joined = (at > 0 && continues(text[at - 1])) ||
                        (end < text.size() && text[end] != '.' && continues(text[end]));
    if (joined) {
      at = text.find(what, end);
      continue;
    }
    text.replace(at, what.size(), with);
    at = text.find(what, at + with.size());
  }
}

// The option behind a field that only a request has, or "".
std::string option_of(std::string_view field, const RunOptions& options) {
  if (field == "timeout_ms" || field == "timeout") return "--timeout";
  if (field == "compile_timeout_ms" || field == "compile_timeout") return "--compile-timeout";
  if (field == "idle_timeout_s") return "--idle-timeout";
  if (field == "policy") return "--policy";
  if (field == "backend") return "--backend";
  if (field == "stdin") return "--stdin";
  if (field == "input") return "--input";
  if (field == "language") return "--language";
  if (field == "code") return "the program";
  if (field.starts_with("args")) return "the words after --";
  if (field == "env") return "--env";
  if (field.starts_with("env.")) return fmt::format("--env {}", field.substr(4));
  if (field == "files") return "--file";
  if (field.starts_with("files[")) {
    std::size_t index = 0;
    field.remove_prefix(6);
    std::from_chars(field.data(), field.data() + field.size(), index);
    if (index < options.files.size()) return "--file " + quoted(options.files[index]);
    return "--file";
  }
  return "";
}

// Takes `field "X"` out of a message, if X is an option here.
void replace_fields(std::string& message, const RunOptions& options) {
  constexpr std::string_view kMark = "field \"";
  const auto at = message.find(kMark);
  if (at == std::string::npos) return;
  const auto begin = at + kMark.size();
  const auto end = message.find('"', begin);
  if (end == std::string::npos) return;
  const std::string option = option_of(message.substr(begin, end - begin), options);
  if (!option.empty()) message.replace(at, end + 1 - at, option);
}

}  // namespace

std::string in_options(std::string message, const RunOptions& options) {
  const std::array<OptionName, 6> limits{
      {{"limits.memory", "--memory", options.memory.has_value()},
       {"limits.cpus", "--cpus", options.cpus.has_value()},
       {"limits.cpu_time_ms", "--cpu-time", options.cpu_time.has_value()},
       {"limits.processes", "--pids", options.pids.has_value()},
       {"limits.disk", "--disk", options.disk.has_value()},
       {"limits.scope", "--limit-scope", options.limit_scope.has_value()}}};
  replace_fields(message, options);
  for (const auto& [field, option, given] : limits) {
    if (!given) continue;
    replace_word(message, fmt::format("field \"{}\"", field), option);
    replace_word(message, fmt::format("{} to \"strongest\"", field),
                 fmt::format("{} strongest", option));
    replace_word(message, field, option);
  }
  return message;
}

std::string with_local_advice(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAdvice{
      {{"isolates (native)", "isolates (--backend native)"},
       {"another backend (native)", "another backend (--backend native)"},
       {"use the backend native", "use --backend native"},
       {"the policy host_local", "--policy host_local"},
       {"the isolation level landlock", "--isolation landlock"}}};
  for (const auto& [neutral, typed] : kAdvice) {
    for (auto at = message.find(neutral); at != std::string::npos;
         at = message.find(neutral, at + typed.size())) {
      message.replace(at, neutral.size(), typed);
    }
  }
  return message;
}

int report_local_error(const Error& error, const RunOptions& options) {
  if (options.json) return report_error(error, true);
  return report_run_error(Error(error.code(), with_local_advice(error.message())), options);
}

int report_run_error(const Error& error, const RunOptions& options) {
  if (options.json) return report_error(error, true);
  say(in_options(error.message(), options));
  return kExitRefused;
}

}  // namespace cove
