#include "runtime/compile_section.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "model/file_name.h"
#include "model/limits_codec.h"
#include "runtime/profile_fields.h"

namespace cove {
namespace {

constexpr std::chrono::hours kLongestStep{1};

Result<> read_duration(JsonFields& fields, std::string_view name, std::chrono::milliseconds& out) {
  std::optional<std::string> text;
  COVE_TRY(fields.read(name, text));
  if (!text) return {};
  const auto duration = parse_duration(*text);
  if (!duration) return fields.error(name, duration.error().message());
  if (*duration < std::chrono::milliseconds(1) || *duration > kLongestStep) {
    return fields.error(name, "must be between 1ms and 1h");
  }
  out = *duration;
  return {};
}

Result<> read_file_names(JsonFields& fields, std::string_view name, std::vector<std::string>& out) {
  COVE_TRY(read_strings(fields, name, out));
  for (const std::string& file : out) COVE_TRY(validate_file_name(file, fields.path_of(name)));
  return {};
}

Result<> read_prepare(JsonFields& fields, CompileProfile& compile) {
  COVE_TRY(read_strings(fields, "prepare", compile.prepare));
  COVE_TRY(read_file_names(fields, "prepare_files", compile.prepare_files));
  return read_duration(fields, "prepare_timeout", compile.prepare_timeout);
}

Result<CompileStep> read_step(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  for (const char* key : {"name", "command", "args", "diagnostics", "advisory", "ignored", "trace"})
    fields.find(key);
  COVE_TRY(fields.no_others());
  CompileStep step;
  COVE_TRY(fields.require("name"));
  COVE_TRY(read_text(fields, "name", step.name));
  if (!is_word(step.name, 32, "_-")) {
    return fields.error("name", "must be letters, digits, _ and -, such as \"build\"");
  }
  if (fields.find("command") != nullptr) {
    COVE_TRY(read_text(fields, "command", step.command.emplace()));
    const std::string& command = *step.command;
    const bool is_need = command.starts_with('{') && command.ends_with('}');
    if (!is_need && !is_plain_absolute_path(command)) {
      return fields.error("command", "must be an absolute path or {NAME}, a command of `needs`");
    }
  }
  COVE_TRY(fields.require("args"));
  COVE_TRY(read_strings(fields, "args", step.args));
  COVE_TRY(fields.require("diagnostics"));
  COVE_TRY(read_text(fields, "diagnostics", step.diagnostics));
  COVE_TRY(fields.read("advisory", step.advisory));
  COVE_TRY(read_strings(fields, "ignored", step.ignored));
  COVE_TRY(read_strings(fields, "trace", step.trace));
  return step;
}

Result<> read_steps(JsonFields& fields, std::vector<CompileStep>& out) {
  const json::value* value = fields.find("step");
  if (value == nullptr) return {};
  const std::string path = fields.path_of("step");
  COVE_ASSIGN(const json::array* array, json_array(*value, path));
  if (array->size() > 8) return fields.error("step", "must have at most 8 entries");
  out.clear();
  for (const json::value& entry : *array) {
    COVE_ASSIGN(auto step, read_step(entry, fmt::format("{}[{}]", path, out.size())));
    out.push_back(std::move(step));
  }
  return {};
}

Result<> read_optional_tools(JsonFields& outer, std::vector<OptionalTool>& out) {
  const json::value* value = outer.find("optional");
  if (value == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*value, outer.path_of("optional")));
  if (array->size() > 8) return outer.error("optional", "must have at most 8 entries");
  out.clear();
  for (const json::value& entry : *array) {
    COVE_ASSIGN(JsonFields fields,
                JsonFields::of(entry, fmt::format("compile.optional[{}]", out.size())));
    OptionalTool tool;
    COVE_TRY(fields.require("command"));
    COVE_TRY(read_text(fields, "command", tool.command));
    if (!is_command(tool.command)) {
      return fields.error("command", fmt::format("must be {}", kCommandForm));
    }
    COVE_TRY(fields.require("args"));
    COVE_TRY(read_strings(fields, "args", tool.args));
    COVE_TRY(fields.no_others());
    out.push_back(std::move(tool));
  }
  return {};
}

Result<> read_refused(JsonFields& fields, HarnessProfile& harness) {
  const json::value* value = fields.find("refused");
  if (value == nullptr) return {};
  COVE_ASSIGN(const json::array* array, json_array(*value, "compile.harness.refused"));
  harness.refused.clear();
  for (const json::value& entry : *array) {
    const std::string path = fmt::format("compile.harness.refused[{}]", harness.refused.size());
    COVE_ASSIGN(JsonFields inner, JsonFields::of(entry, path));
    std::string text;
    std::string message;
    COVE_TRY(inner.require("text"));
    COVE_TRY(read_text(inner, "text", text));
    COVE_TRY(inner.require("message"));
    COVE_TRY(read_text(inner, "message", message));
    COVE_TRY(inner.no_others());
    harness.refused.emplace_back(std::move(text), std::move(message));
  }
  return {};
}

Result<> read_harness(JsonFields& outer, std::optional<HarnessProfile>& out) {
  const json::value* value = outer.find("harness");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields fields, JsonFields::of(*value, "compile.harness"));
  for (const char* key :
       {"syntax", "signature", "signature_note", "files", "calls_run", "entry", "prefix", "unless",
        "args", "run", "prepare", "prepare_files", "refused"}) {
    fields.find(key);
  }
  COVE_TRY(fields.no_others());
  HarnessProfile harness;
  COVE_TRY(fields.require("syntax"));
  COVE_TRY(read_text(fields, "syntax", harness.syntax));
  constexpr std::array<std::string_view, 4> kSyntaxes{"c", "go", "java", "rust"};
  if (std::ranges::find(kSyntaxes, harness.syntax) == kSyntaxes.end()) {
    return fields.error("syntax", "must be \"c\", \"go\", \"java\" or \"rust\"");
  }
  COVE_TRY(fields.require("signature"));
  COVE_TRY(read_text(fields, "signature", harness.signature));
  COVE_TRY(read_text(fields, "signature_note", harness.signature_note));
  COVE_TRY(fields.require("files"));
  COVE_TRY(read_file_names(fields, "files", harness.files));
  COVE_TRY(read_file_names(fields, "prepare_files", harness.prepare_files));
  harness.calls_run = harness.files;
  COVE_TRY(read_file_names(fields, "calls_run", harness.calls_run));
  COVE_TRY(read_text(fields, "entry", harness.entry));
  COVE_TRY(read_text(fields, "prefix", harness.prefix));
  COVE_TRY(read_text(fields, "unless", harness.unless));
  COVE_TRY(read_strings(fields, "args", harness.args));
  COVE_TRY(read_strings(fields, "run", harness.run));
  COVE_TRY(read_strings(fields, "prepare", harness.prepare));
  COVE_TRY(read_refused(fields, harness));
  out = std::move(harness);
  return {};
}

}  // namespace

Result<> read_compile_section(JsonFields& outer, LanguageProfile& profile) {
  const json::value* value = outer.find("compile");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields fields, JsonFields::of(*value, "compile"));
  for (const char* key :
       {"entry", "sources", "source_tree", "step", "optional", "run", "env", "prepare",
        "prepare_files", "prepare_lasts", "timeout", "prepare_timeout", "limits", "harness"}) {
    fields.find(key);
  }
  COVE_TRY(fields.no_others());
  CompileProfile compile = profile.compile.value_or(CompileProfile{});
  if (compile.entry.empty()) compile.entry = "main." + profile.extension;
  COVE_TRY(read_text(fields, "entry", compile.entry));
  COVE_TRY(validate_file_name(compile.entry, "compile.entry"));
  COVE_TRY(read_strings(fields, "sources", compile.sources));
  COVE_TRY(check_each(
      fields, "sources", compile.sources,
      [](const std::string& text) { return is_word(text, 16, "+"); },
      "an extension without a point, such as \"c\""));
  COVE_TRY(fields.read("source_tree", compile.source_tree));
  COVE_TRY(read_steps(fields, compile.steps));
  if (compile.steps.empty()) return fields.error("step", "is needed: [[compile.step]]");
  COVE_TRY(read_optional_tools(fields, compile.optional));
  COVE_TRY(read_strings(fields, "run", compile.run));
  if (compile.run.empty()) {
    return fields.error("run", "is needed; the simplest is [\"{build}/main\"]");
  }
  COVE_TRY(read_variables(fields, "env", compile.env));
  COVE_TRY(fields.read("prepare_lasts", compile.prepare_lasts));
  COVE_TRY(read_prepare(fields, compile));
  COVE_TRY(read_duration(fields, "timeout", compile.timeout));
  COVE_TRY(read_harness(fields, compile.harness));
  if (const json::value* limits = fields.find("limits")) {
    COVE_ASSIGN(compile.limits, decode_limits(*limits, "compile.limits"));
  }
  profile.compile = std::move(compile);
  profile.warm = WarmMode::None;  // what is to start is not known before it is built
  return {};
}

Result<> read_check_section(JsonFields& outer, LanguageProfile& profile) {
  const json::value* value = outer.find("check");
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields fields, JsonFields::of(*value, "check"));
  for (const char* key : {"command", "needs", "step", "env", "prepare", "prepare_files", "timeout",
                          "prepare_timeout", "limits", "install"}) {
    fields.find(key);
  }
  COVE_TRY(fields.no_others());
  if (profile.compile) {
    return fields.error("step", "belongs to [compile] where a language is compiled");
  }
  CheckProfile check;
  check.compile.entry = "main." + profile.extension;
  COVE_TRY(fields.require("command"));
  COVE_TRY(read_text(fields, "command", check.choice.command));
  if (!is_command(check.choice.command)) {
    return fields.error("command", fmt::format("must be {}", kCommandForm));
  }
  COVE_TRY(read_strings(fields, "needs", check.choice.needs));
  COVE_TRY(check_each(
      fields, "needs", check.choice.needs,
      [](const std::string& need) { return is_word(need, 64, "_+.-"); }, "a command's name"));
  COVE_TRY(read_steps(fields, check.compile.steps));
  if (check.compile.steps.empty()) return fields.error("step", "is needed: [[check.step]]");
  COVE_TRY(read_variables(fields, "env", check.compile.env));
  COVE_TRY(read_prepare(fields, check.compile));
  COVE_TRY(read_duration(fields, "timeout", check.compile.timeout));
  if (const json::value* limits = fields.find("limits")) {
    COVE_ASSIGN(check.compile.limits, decode_limits(*limits, "check.limits"));
  }
  COVE_TRY(read_text(fields, "install", check.install));
  profile.check = std::move(check);
  return {};
}

}  // namespace cove
