#pragma once
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/single_flight.h"
#include "executor/code_executor.h"
#include "model/compile_report.h"
#include "model/diagnostic.h"
#include "model/execution_result.h"
#include "runtime/language_profile.h"
#include "toolchain/build_cache.h"
#include "toolchain/compiler.h"
#include "toolchain/program.h"

namespace cove {

// Why nothing was built, and what the compilers said.
struct FailedBuild {
  ExecutionResult result;
  std::vector<Diagnostic> diagnostics;
  std::string compiler_output;
};

// What was built, and how that went.
struct Built {
  std::optional<Build> build;  // absent: `failure`
  CompileReport report;
  std::vector<Diagnostic> diagnostics;
  std::optional<ExecutionResult> failure;
  std::vector<std::string> notes;
};

// One program to be built.
struct BuildOrder {
  const Program& program;
  const Runtime& runtime;  // of a profile with [compile]
  std::optional<std::chrono::milliseconds> timeout;
  const ExecutionContext& context;  // whose sink is told what takes long
};

// Takes builds from the cache or has them compiled. Of equal programs that come at once one is
// compiled, by whoever was first in whichever process, and the others wait; they take over where
// that one is cancelled or has less time than they have. Thread-safe.
class Builder {
 public:
  explicit Builder(CodeExecutor& executor) : executor_(executor) {}  // which outlives it

  Result<Built> build(const BuildOrder& order, BuildCache& cache);

 private:
  using Flights = SingleFlight<FailedBuild>;

  std::optional<Built> find(BuildCache& cache, const std::string& key) const;
  // Absent: the caller was cancelled.
  Result<std::optional<std::string>> prepare(const BuildOrder& order, BuildCache& cache,
                                             const Compiler& compiler, Built& built) const;
  // Of a turn that is not to be waited for any longer, or that somebody else has taken.
  Built not_my_turn(const BuildOrder& order, const Flights::Turn& turn,
                    const CompileBudget& budget) const;
  ExecutionResult stopped(ExecutionStatus status, std::string note) const;

  CodeExecutor& executor_;
  Flights flights_;
};

}  // namespace cove
