#include "cli/run_options.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_json.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "cli/output_directory.h"
#include "cli/read_input.h"
#include "model/file_name.h"
#include "model/names.h"
#include "model/request_codec.h"

namespace cove {

namespace {

Error named(std::string_view option, Error error) {
  return std::move(error).with_context(option);
}

Result<> set_size(const std::optional<std::string>& text, std::string_view option,
                  std::optional<Bytes>& out) {
  if (!text) return {};
  auto size = parse_size(*text);
  if (!size) return Err(named(option, std::move(size).error()));
  out = *size;
  return {};
}

Result<> set_duration(const std::optional<std::string>& text, std::string_view option,
                      std::optional<std::chrono::milliseconds>& out) {
  if (!text) return {};
  auto duration = parse_duration(*text);
  if (!duration) return Err(named(option, std::move(duration).error()));
  out = *duration;
  return {};
}

Result<> set_limits(const RunOptions& options, ExecutionRequest& request) {
  COVE_TRY(set_duration(options.timeout, "--timeout", request.timeout));
  COVE_TRY(set_duration(options.compile_timeout, "--compile-timeout", request.compile_timeout));
  COVE_TRY(set_duration(options.cpu_time, "--cpu-time", request.limits.cpu_time));
  COVE_TRY(set_size(options.memory, "--memory", request.limits.memory));
  COVE_TRY(set_size(options.disk, "--disk", request.limits.disk));
  if (options.cpus) request.limits.cpus = options.cpus;
  if (options.pids) request.limits.processes = options.pids;
  if (options.limit_scope) request.limits.scope = from_name<LimitScope>(*options.limit_scope);
  if (const auto style = from_name<TruncationStyle>(options.truncate)) request.truncation = *style;
  return {};
}

// PATH=NAME; a file whose own path holds a '=' is taken as it is when it exists.
Result<ExecFile> load_file(const std::string& text) {
  std::string path = text;
  std::string name;
  const std::size_t equals = text.rfind('=');
  std::error_code ignored;
  if (equals != std::string::npos && !std::filesystem::exists(text, ignored)) {
    path = text.substr(0, equals);
    name = text.substr(equals + 1);
  }
  if (name.empty()) name = std::filesystem::path(path).filename().string();
  if (std::filesystem::is_directory(path, ignored)) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("--file: {} is a directory; files go one by one: --file {}",
                                 quoted(path), quoted(path + "/NAME=NAME"))));
  }
  auto content = read_input(path, RequestSizeLimits{}.files_total);
  if (!content) return Err(named("--file", std::move(content).error()));
  return ExecFile{std::move(name), std::move(*content), std::nullopt};
}

Result<std::pair<std::string, std::string>> split_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Err(
        Error(ErrorCode::InvalidRequest, fmt::format("--env: {} is not NAME=VALUE", quoted(text))));
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Result<json::value> load_json(const std::string& text) {
  std::string content = text;
  if (text.starts_with('@')) {
    auto file = read_input(text.substr(1), RequestSizeLimits{}.total);
    if (!file) return Err(named("--input", std::move(file).error()));
    content = std::move(*file);
  }
  auto value = parse_json(content);
  if (!value) return Err(named("--input", std::move(value).error()));
  return std::move(*value);
}

// Compilers speak of the program by its file's name, where they do not care what it is.
std::string entry_of(const ProgramSource& source, const LanguageProfile* profile) {
  if (profile == nullptr || !source.file || source.code) return "";
  if (!profile->compile && !profile->check) return "";
  const std::string name = std::filesystem::path(*source.file).filename().string();
  const std::string extension = name.substr(std::min(name.rfind('.') + 1, name.size()));
  const auto& known = profile->file_extensions;
  const bool usable =
      (extension == profile->extension || std::ranges::find(known, extension) != known.end()) &&
      validate_file_name(name, "entry");
  const CompileProfile& steps = profile->compile ? *profile->compile : profile->check->compile;
  return usable && steps.entry.find('{') == std::string::npos ? name : "";
}

Result<> check_compile_timeout(const RunOptions& options, const LanguageProfile* profile) {
  if (!options.compile_timeout || profile == nullptr || profile->compile || profile->check) {
    return {};
  }
  return Err(Error(ErrorCode::InvalidRequest,
                   fmt::format("--compile-timeout is for languages that are compiled or checked "
                               "before they run, not for {}",
                               profile->name)));
}

}  // namespace

std::string language_word(const RunOptions& options) {
  if (options.profile) return "";
  if (options.program.language) return *options.program.language;
  const std::string file = options.program.file.value_or("");
  const auto dot = file.rfind('.');
  return dot == std::string::npos || file.find('/', dot) != std::string::npos
             ? ""
             : file.substr(dot + 1);
}

Result<> check_backend_options(const RunOptions& options) {
  struct Option {
    const char* name;
    bool given;
    std::string_view of;  // the backends that have it
  };
  for (const Option& option :
       {Option{"--image", options.image.has_value(), "container or docker"},
        Option{"--engine", options.engine.has_value(), "container"},
        Option{"--runtime", options.runtime.has_value(), "container"},
        Option{"--pull", options.pull, "container"},
        Option{"--docker-host", options.docker_host.has_value(), "docker"}}) {
    if (!option.given || option.of.find(options.backend) != std::string_view::npos) continue;
    return Err(
        Error(ErrorCode::InvalidRequest, fmt::format("{} is an option of --backend {}, not of {}",
                                                     option.name, option.of, options.backend)));
  }
  const bool compiles = options.backend == "native" || options.backend.starts_with("image:");
  if (options.compile_timeout && !compiles) {
    return Err(
        Error(ErrorCode::InvalidRequest,
              fmt::format("--compile-timeout is an option of --backend native or image:NAME, "
                          "not of {}",
                          options.backend)));
  }
  return {};
}

BackendOptions backend_options(const RunOptions& options) {
  BackendOptions out;
  out.backend = options.backend;
  out.isolation = options.isolation;
  out.container.image = options.image.value_or("");
  out.container.engine = options.engine.value_or("");
  out.container.runtime = options.runtime.value_or("");
  out.container.pull = options.pull;
  return out;
}

DiagnosticStyle diagnostic_style(const RunOptions& options) {
  return options.diagnostics == "short" ? DiagnosticStyle::Short : DiagnosticStyle::Full;
}

Result<ExecutionRequest> build_request(const RunOptions& options, Installation& installation) {
  ProgramSource source = options.program;
  if (options.profile) {
    auto name = installation.catalog.add_profile_file(*options.profile);
    if (!name) return Err(named("--profile", std::move(name).error()));
    if (!source.language) source.language = *name;
  }
  const bool program_on_stdin = !source.code && source.file.value_or("-") == "-";
  if (program_on_stdin && options.stdin_file == "-") {
    return Err(
        Error(ErrorCode::InvalidRequest, "the program and --stdin cannot both come from stdin"));
  }

  if (options.out) COVE_TRY(check_output_directory(*options.out));

  ExecutionRequest request;
  auto policy = installation.presets.find_or_load(options.policy);
  if (!policy) return Err(named("--policy", std::move(policy).error()));
  request.policy = std::move(*policy);
  COVE_TRY(set_limits(options, request));
  COVE_ASSIGN(request.code, read_program(source));
  if (!source.language && request.code.starts_with("#!")) {
    // The line may name a language other than the one that was loaded for the file's extension.
    COVE_ASSIGN(installation, load_installation());
  }
  COVE_ASSIGN(request.language, language_of(source, request.code, installation.catalog));
  const LanguageProfile* const profile = installation.catalog.find_profile(request.language);
  COVE_TRY(check_compile_timeout(options, profile));
  request.entry = entry_of(source, profile);
  request.args = options.args;
  request.collect_file_contents = options.out.has_value() || options.contents;
  if (options.stdin_file) {
    auto data = read_input(*options.stdin_file, RequestSizeLimits{}.stdin_bytes);
    if (!data) return Err(named("--stdin", std::move(data).error()));
    request.stdin_data = std::move(*data);
  }
  for (const std::string& text : options.files) {
    COVE_ASSIGN(ExecFile file, load_file(text));
    request.files.push_back(std::move(file));
  }
  // A name without code would be one of the files.
  const bool is_compiled = profile != nullptr && profile->compile;
  if (request.code.empty() && is_compiled && !request.files.empty()) request.entry.clear();
  for (const std::string& text : options.env) {
    COVE_ASSIGN(auto variable, split_variable(text));
    request.env.push_back(std::move(variable));
  }
  if (options.input) {
    COVE_ASSIGN(request.input, load_json(*options.input));
  }
  return request;
}

}  // namespace cove
