// Runs programs of untrusted origin from C++: one that works, one whose output is read while it
// runs and that is then cancelled, and one that is refused before it starts because its policy asks
// for what the backend cannot enforce.
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
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

// Called on the thread that called execute(). Cancels when it has seen enough.
class UntilThree final : public cove::OutputSink {
 public:
  explicit UntilThree(std::stop_source& stop) : stop_(stop) {}
  void on_stdout(std::string_view bytes) override {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    if (bytes.find('3') != std::string_view::npos) stop_.request_stop();
  }
  void on_stderr(std::string_view /*bytes*/) override {}

 private:
  std::stop_source& stop_;
};

cove::Result<> watch_and_cancel(cove::CodeExecutor& executor) {
  cove::ExecutionRequest request;
  request.code =
      "import itertools, time\n"
      "for i in itertools.count():\n"
      "    print(i, flush=True)\n"
      "    time.sleep(0.05)\n";
  std::stop_source stop;
  UntilThree sink(stop);
  COVE_ASSIGN(const auto result, executor.execute(request, {stop.get_token(), &sink}));
  if (result.status == cove::ExecutionStatus::Cancelled) {
    std::printf("cancelled: every process of it is gone\n");
    return {};
  }
  return cove::Err(cove::Error(cove::ErrorCode::Internal, "the program ended by itself"));
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
  // Once more when the machinery fails; a program that fails is a result and is not repeated.
  const auto patient = cove::with_retries(*executor);
  COVE_TRY(add_two_numbers(*patient));
  COVE_TRY(watch_and_cancel(*patient));
  return show_refusal(catalog);
}

}  // namespace

int main() {
  const auto done = run();
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return 1;
}
