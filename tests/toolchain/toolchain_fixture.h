#pragma once
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "model/execution_request.h"
#include "model/execution_result.h"
#include "runtime/runtime_catalog.h"
#include "toolchain/compiling_executor.h"

namespace cove::toolchain {

RuntimeCatalog host_catalog();

// Compilers in the native sandbox. What they prepare is kept between runs of the tests, below the
// build directory; a test that must not meet a kept build says something nobody said before.
std::unique_ptr<CompilingExecutor> make_executor(RuntimeCatalog catalog = host_catalog());

ExecutionRequest request_of(const std::string& language, const std::string& code);
ExecutionResult run(CompilingExecutor& executor, const ExecutionRequest& request);

// Why the language cannot be used here; empty: it can. What the project itself is built with is
// always there.
std::string missing(const std::string& language);

// A comment, written as the language writes them, that makes a program another one.
std::string unheard_of(const std::string& code, const std::string& comment = "// {}");

// A profile's text as a file, for as long as this lives.
class TemporaryProfile {
 public:
  explicit TemporaryProfile(const std::string& text);
  ~TemporaryProfile();
  TemporaryProfile(const TemporaryProfile&) = delete;
  TemporaryProfile& operator=(const TemporaryProfile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string describe(const ExecutionResult& result);

}  // namespace cove::toolchain
