#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/exec_file.h"
#include "model/execution_request.h"
#include "runtime/language_profile.h"
#include "toolchain/run_contract.h"

namespace cove {

// Where compilers put what they build, below the directory of the sources.
inline constexpr std::string_view kOutDirectory = "cove-build";

// What a compiler is given: the request's files with the program among them.
struct Program {
  std::string entry;
  std::vector<ExecFile> files;
  std::vector<ExecFile> written;     // the files as they were given, if a harness changed one
  std::vector<std::string> sources;  // names of those that are compiled: the entry first
  std::string main_class;            // Java's
  std::string prepare_text;          // of Cove's files that `prepare` reads
  std::optional<RunContract> run;    // of a program in a harness
};

// Errors name the request's field.
Result<Program> make_program(const ExecutionRequest& request, const CompileProfile& compile);

// Finds out anew which of the files are compiled.
void list_sources(Program& program, const CompileProfile& compile);

}  // namespace cove
