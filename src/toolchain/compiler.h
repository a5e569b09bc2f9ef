#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/code_executor.h"
#include "model/compile_report.h"
#include "model/diagnostic.h"
#include "model/execution_result.h"
#include "runtime/language_profile.h"
#include "toolchain/build_cache.h"
#include "toolchain/compile_budget.h"
#include "toolchain/program.h"

namespace cove {

// What compiling a program came to.
struct Compilation {
  BuildOutput output;  // files only when it succeeded; diagnostics always
  CompileReport report;
  // The outcome where nothing was built: a compile error, or a compiler that was stopped. Absent:
  // it succeeded.
  std::optional<ExecutionResult> failure;
  // The budget ended a step: another one might have brought more.
  bool cut_short = false;
  std::vector<std::string> notes;  // where it succeeded all the same
};

// Runs the steps of a compiled language, each in a sandbox of its own that has the sources, the
// compiler's installation and nothing else of the host: no network, no variables, its own limits. A
// step that fails is the last.
class Compiler {
 public:
  // All outlive it. `runtime` is that of a profile with [compile].
  Compiler(CodeExecutor& executor, const Runtime& runtime, std::stop_token cancel)
      : executor_(executor), runtime_(runtime), cancel_(std::move(cancel)) {}

  // Fills a directory with what [compile] prepares. As root it is handed to another user first.
  // What that took.
  Result<Usage> prepare(const std::string& directory) const;

  Result<Compilation> compile(const Program& program, const std::string& prepared_dir,
                              const CompileBudget& budget) const;

 private:
  // What the steps of one compilation share.
  struct Job {
    const Program& program;
    const std::string& prepared_dir;
    const CompileBudget& budget;
    Compilation out;
  };

  // Starts a step's command with these arguments; the report calls it `name`.
  Result<ExecutionResult> run_step(const CompileStep& step, std::string_view name,
                                   std::vector<std::string> args, Job& job) const;
  // Starts a step that failed once more, to learn where in the program its errors come from.
  void trace_errors(const CompileStep& step, Job& job) const;
  // Starts a step once more that lost what it had to say, in a way that does not.
  Result<> say_again(const CompileStep& step, std::vector<Diagnostic>& said, Job& job) const;
  // The same where a fast linker did not say which lines are meant: the ordinary one does.
  Result<> ask_plain_linker(const CompileStep& step, std::vector<Diagnostic>& said, Job& job) const;
  // Whether to go on with the next.
  Result<bool> take_step(const CompileStep& step, Job& job) const;
  bool end_step(const CompileStep& step, ExecutionResult result, const std::string& printed,
                bool explained, Job& job) const;

  CodeExecutor& executor_;
  const Runtime& runtime_;
  std::stop_token cancel_;
};

// The same with the arguments of optional tools that sandboxes of this kind can use.
Runtime with_optional_tools(Runtime runtime, std::string_view isolation);

// What the first step starts, with which arguments and limits.
Runtime first_step(const Runtime& runtime, const Program& program);
// What starts a program that lies built in this directory.
Runtime program_runtime(const Runtime& runtime, const Program& program, std::string build_dir);

// The name of a build: the hash of the program, the steps, the compiler's file, of what says that a
// package of this system changed (in an image: which one it is), and of the kind of sandbox:
// compilers write into what they build where it was.
std::string build_key(const Program& program, const Runtime& runtime, std::string_view isolation);
// The same for what [compile] prepares, in sandboxes of this kind.
std::string prepare_key(const Program& program, const Runtime& runtime, std::string_view isolation);

}  // namespace cove
