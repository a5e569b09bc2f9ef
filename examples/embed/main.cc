// Runs two programs of untrusted origin from C++: one that works, and one that is
// refused before it starts because its policy asks for what the backend cannot enforce.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <cove/cove.h>

namespace {

cove::Result<std::unique_ptr<cove::NativeExecutor>> make_executor(cove::RuntimeCatalog catalog) {
  cove::NativeOptions options;
  options.pool.size = 2;  // interpreters that wait, warm, inside finished sandboxes
  options.pool.languages = {"python"};
  COVE_ASSIGN(auto executor, cove::NativeExecutor::create(std::move(catalog), options));
  COVE_TRY(executor->start());
  return executor;
}

// A program is data: whatever it does comes back as a result.
cove::Result<> add_two_numbers(cove::CodeExecutor& executor) {
  cove::ExecutionRequest request;
  request.language = "python";
  request.code = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n";
  request.stdin_data = "20 22\n";
  COVE_ASSIGN(const auto result, executor.execute(request));
  std::printf("the program said: %s", result.stdout_data.c_str());
  std::printf("isolation: %s, %s\n", result.isolation.c_str(), result.warm ? "warm" : "cold");
  if (result.is_success()) return {};
  return cove::Err(cove::Error(cove::ErrorCode::ExecutionFailed, result.combined_output()));
}

// The local executor isolates nothing, so the default policy is refused there before anything runs.
cove::Result<> show_refusal(const cove::RuntimeCatalog& catalog) {
  cove::LocalExecutor executor(catalog);
  cove::ExecutionRequest request;
  request.code = "print('never runs')";
  const auto refused = executor.execute(request);
  if (!refused) {
    std::printf("refused: %s\n", refused.error().message().c_str());
    return {};
  }
  return cove::Err(cove::Error(cove::ErrorCode::Internal, "a policy was not enforced"));
}

cove::Result<> run() {
  COVE_ASSIGN(const std::string data, cove::data_dir());
  COVE_ASSIGN(const auto catalog, cove::RuntimeCatalog::load(data + "/profiles"));
  COVE_ASSIGN(const auto executor, make_executor(catalog));
  COVE_TRY(add_two_numbers(*executor));
  return show_refusal(catalog);
}

}  // namespace

int main() {
  const auto done = run();
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return 1;
}
