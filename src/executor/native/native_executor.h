#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executor/code_executor.h"
#include "image/image_root.h"
#include "runtime/runtime_catalog.h"

namespace cove {

struct PoolOptions {
  std::size_t size = 0;                // waiting guests a language; 0: every run is cold
  std::vector<std::string> languages;  // warmed by start(); others after their first run
  // Whether start() fails when one of them cannot be warmed. If not, it runs cold and
  // PoolReport::last_error says why.
  bool must_warm = true;
};

struct NativeOptions {
  std::string isolation = "namespaces";  // or "landlock"
  PoolOptions pool;
  // Programs run in this root file system (ImageStore::open_root) instead of on the host's, with
  // the interpreters that are in it.
  std::optional<ImageRoot> image = std::nullopt;
};

// Runs programs in a native Linux sandbox. Thread-safe.
class NativeExecutor final : public CodeExecutor {
 public:
  static Result<std::unique_ptr<NativeExecutor>> create(RuntimeCatalog catalog,
                                                        NativeOptions options = {});
  ~NativeExecutor() override;

  using CodeExecutor::execute;
  std::string_view name() const override;  // "native", or "image"
  BackendCapabilities capabilities() const override;
  bool supports_language(std::string_view language) const override;
  bool takes_runtime() const override { return true; }  // in an image: of its own root
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const ExecutionContext& context) override;
  Result<> start() override;  // fills the pool
  Result<> stop() override;   // ends waiting guests

  // What capabilities() cannot say: whether this host has the paths that the policy names.
  Result<> check_policy(const SandboxPolicy& policy) const;
  // The set-up steps that a run of this request would take, one a line; of `runtime`, if it is
  // given.
  Result<std::string> explain(const ExecutionRequest& request, const Runtime* runtime = nullptr);
  std::vector<PoolReport> pool_report() const override;
  // Waits until the pool is full and used guests are gone, for measuring. False: it took too long.
  bool wait_until_warm(std::chrono::milliseconds patience);
  // Process ids of a waiting guest of each language, for measuring its memory.
  std::vector<int> waiting_processes() const;

 private:
  struct Impl;
  explicit NativeExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cove
