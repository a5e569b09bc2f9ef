#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/executor_choice.h"
#include "cli/installation.h"
#include "cli/program_source.h"
#include "model/diagnostic_text.h"
#include "model/execution_request.h"

namespace cove {

// The words of `cove run`, as given.
struct RunOptions {
  ProgramSource program;
  std::vector<std::string> args;
  std::optional<std::string> stdin_file;
  std::vector<std::string> files;  // PATH or PATH=NAME
  std::optional<std::string> out;
  std::vector<std::string> env;  // NAME=VALUE
  std::optional<std::string> input;
  std::optional<std::string> timeout;
  std::optional<std::string> compile_timeout;
  std::optional<std::string> memory;
  std::optional<double> cpus;
  std::optional<std::uint32_t> pids;
  std::optional<std::string> disk;
  std::optional<std::string> cpu_time;
  std::optional<std::string> limit_scope;
  std::string policy = "strict";
  std::string backend = "native";
  std::optional<std::string> isolation;  // of native and image:NAME
  std::optional<std::string> image;      // of container and docker
  std::optional<std::string> engine;     // these three: of container
  std::optional<std::string> runtime;
  bool pull = false;
  std::optional<std::string> docker_host;  // of docker
  std::optional<std::string> profile;
  std::string truncate = "head";
  std::string diagnostics = "full";
  bool explain = false;
  bool json = false;
  bool contents = false;  // of output files, in the JSON
  bool raw = false;
};

// What tells the language, if one word does: --language or the file's extension.
std::string language_word(const RunOptions& options);

// An option of another backend than the chosen one would have no effect: it is an error.
Result<> check_backend_options(const RunOptions& options);

// What they say about the backends that choose_executor() knows.
BackendOptions backend_options(const RunOptions& options);

DiagnosticStyle diagnostic_style(const RunOptions& options);

// Turns the words into a request. A --profile is added to the installation's languages and is the
// default language then. Errors name the option.
Result<ExecutionRequest> build_request(const RunOptions& options, Installation& installation);

}  // namespace cove
