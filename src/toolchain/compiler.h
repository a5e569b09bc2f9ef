#pragma once
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
#include "toolchain/program.h"

namespace cove {

// What compiling a program came to.
struct Compilation {
  BuildOutput output;  // files only when it succeeded; diagnostics always
  CompileReport report;
  // The outcome where nothing was built: a compile error, or a compiler that was stopped. Absent:
  // it succeeded.
  std::optional<ExecutionResult> failure;
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
  Result<> prepare(const std::string& directory) const;

  Result<Compilation> compile(const Program& program, const std::string& prepared_dir) const;

 private:
  Result<ExecutionResult> run_step(const CompileStep& step, std::vector<std::string> args,
                                   const Program& program, const std::string& prepared_dir) const;
  // Starts a step that failed once more, to learn where in the program its errors come from.
  void trace_errors(const CompileStep& step, const Program& program,
                    const std::string& prepared_dir, Compilation& out) const;
  // Starts a step once more that lost what it had to say, in a way that does not.
  Result<> say_again(const CompileStep& step, const Program& program,
                     const std::string& prepared_dir, std::vector<Diagnostic>& said,
                     CompileReport& report) const;
  // The same where a fast linker did not say which lines are meant: the ordinary one does.
  Result<> ask_plain_linker(const CompileStep& step, const Program& program,
                            const std::string& prepared_dir, std::vector<Diagnostic>& said,
                            CompileReport& report) const;
  Result<bool> take_step(const CompileStep& step, const Program& program,
                         const std::string& prepared_dir, Compilation& out) const;

  CodeExecutor& executor_;
  const Runtime& runtime_;
  std::stop_token cancel_;
};

// The same with the arguments of optional tools that sandboxes of this kind can use.
Runtime with_optional_tools(Runtime runtime, std::string_view isolation);

// What the first step starts, with which arguments and limits.
Runtime first_step(const Runtime& runtime, const Program& program);

// The name of a build: the hash of the program, the steps, the compiler's file, and of what says
// that a package of this system changed (in an image: which one it is).
std::string build_key(const Program& program, const Runtime& runtime);
// The same for what [compile] prepares, in sandboxes of this kind.
std::string prepare_key(const Program& program, const Runtime& runtime, std::string_view isolation);

}  // namespace cove
