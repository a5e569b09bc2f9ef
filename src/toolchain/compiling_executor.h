#pragma once
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "executor/code_executor.h"
#include "runtime/runtime_catalog.h"
#include "toolchain/build_cache.h"
#include "toolchain/builder.h"

namespace cove {

// How a program would be compiled and run.
struct CompilePlan {
  Runtime compiler;  // what the first step starts, with its limits; nothing of the request's hold
  Runtime program;   // what is started in place of an interpreter
  std::chrono::milliseconds step_timeout{0};
};

// Another executor, and compiled languages on top of it: check, build, run, each in its sandbox,
// with builds kept by content, and what does not compile, too. Interpreted languages whose profile
// has a [check] are checked first. Everything else is the other's. Thread-safe as that is.
//
// A compile error is a result: status compile_failed, diagnostics, and the same as text on stderr.
// The request's timeout and limits are the program's; compilers have those of the profile, and its
// compile_timeout bounds all their steps together.
class CompilingExecutor final : public CodeExecutor {
 public:
  // `inner` must take a runtime; both share it. For an image, `catalog` is that of its root. An
  // empty `cache_directory` is the default one.
  static Result<std::unique_ptr<CompilingExecutor>> create(std::shared_ptr<CodeExecutor> inner,
                                                           RuntimeCatalog catalog,
                                                           const std::string& cache_directory = "");

  using CodeExecutor::execute;
  std::string_view name() const override { return inner_->name(); }
  BackendCapabilities capabilities() const override { return inner_->capabilities(); }
  bool supports_language(std::string_view language) const override;
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override;
  bool stateful() const override { return inner_->stateful(); }
  int error_retry_attempts() const override { return inner_->error_retry_attempts(); }
  std::chrono::milliseconds timeout() const override { return inner_->timeout(); }
  Result<> start() override { return inner_->start(); }
  Result<> stop() override { return inner_->stop(); }
  bool is_running() const override { return inner_->is_running(); }
  std::vector<PoolReport> pool_report() const override { return inner_->pool_report(); }
  Result<> cleanup() override { return inner_->cleanup(); }

  // By name or alias, where this executor looks: in an image's root, say. The error says what was
  // looked for.
  Result<Runtime> find_language(std::string_view language) const { return catalog_.find(language); }
  // How this request would be compiled; absent where nothing is.
  Result<std::optional<CompilePlan>> plan(const ExecutionRequest& request) const;
  // Where builds are kept.
  Result<std::string> cache_directory();

 private:
  CompilingExecutor(std::shared_ptr<CodeExecutor> inner, RuntimeCatalog catalog, std::string cache)
      : inner_(std::move(inner)),
        builder_(*inner_),
        catalog_(std::move(catalog)),
        cache_path_(std::move(cache)) {}
  const LanguageProfile* compiled(std::string_view language) const;
  Result<ExecutionResult> execute_compiled(const ExecutionRequest& request,
                                           const ExecutionContext& context);
  Result<ExecutionResult> execute_checked(const LanguageProfile& profile,
                                          const ExecutionRequest& request,
                                          const ExecutionContext& context);
  Result<BuildCache*> cache();
  // Adds, to the first result, why builds are not kept where they should be.
  void say_cache_problem(ExecutionResult& result);

  std::shared_ptr<CodeExecutor> inner_;
  Builder builder_;
  RuntimeCatalog catalog_;
  std::string cache_path_;
  bool is_default_ = false;  // nobody named that directory but the environment
  std::mutex mutex_;
  std::unique_ptr<BuildCache> cache_;  // opened when the first program is compiled
  std::string cache_problem_;          // not said yet
};

}  // namespace cove
