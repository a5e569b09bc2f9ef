#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/exec_file.h"
#include "model/limits.h"
#include "model/sandbox_policy.h"

namespace cove {

// How output past its cap is shortened: see model/truncate.h.
enum class TruncationStyle : unsigned char { Head, HeadTail, Notice };

// One program to run. Built by a caller or decoded by model/request_codec.h.
struct ExecutionRequest {
  std::string code;
  // Compiled or checked languages: the name of the program's file, as diagnostics have it. With an
  // empty `code` (compiled ones), one of `files` is the program. Empty: the language's usual name.
  std::string entry;
  std::string language = "python";  // a name or an alias; resolved by the runtime catalog
  std::string stdin_data;
  std::vector<std::string> args;
  std::optional<json::value> input;  // for harnessed languages: run(input) -> output
  std::vector<ExecFile> files;
  std::vector<std::pair<std::string, std::string>> env;
  std::optional<std::chrono::milliseconds> timeout;  // absent: the policy's
  // Compiled and checked languages: for all steps of the compilation together, each of which has
  // the profile's own limit, too. What is prepared once for all programs does not count. Absent:
  // only the steps' limits.
  std::optional<std::chrono::milliseconds> compile_timeout;
  Limits limits;
  SandboxPolicy policy;
  TruncationStyle truncation = TruncationStyle::Head;
  bool collect_file_contents = false;  // output files come with their bytes
  std::string execution_id;            // absent: one is made
  std::string identity;                // who asks, for the audit log
};

}  // namespace cove
