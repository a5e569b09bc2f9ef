// A Cove server from C++: one program, one whose output is read while it runs and that is then
// cancelled, and a session with a fork. The address is the first argument or COVE_SERVER.
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <string_view>

#include <cove/client/client.h>

namespace {

cove::Result<> add_two_numbers(cove::Client& client) {
  cove::ExecutionRequest request;
  request.language = "python";
  request.code = "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n";
  request.stdin_data = "20 22\n";
  COVE_ASSIGN(const cove::ExecutionResult result, client.execute(request));
  std::printf("the program said: %s", result.stdout_data.c_str());
  return {};
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

cove::Result<> watch_and_cancel(cove::Client& client) {
  cove::ExecutionRequest request;
  request.code =
      "import time\n"
      "for i in range(1000):\n"
      "    print(i, flush=True)\n"
      "    time.sleep(0.2)\n";
  std::stop_source stop;
  UntilThree sink(stop);
  cove::RemoteContext context;
  context.cancel = stop.get_token();
  context.sink = &sink;
  COVE_ASSIGN(const cove::ExecutionResult result, client.execute(request, context));
  if (result.status == cove::ExecutionStatus::Cancelled) {
    std::printf("cancelled on the server\n");
    return {};
  }
  return cove::Err(cove::Error(cove::ErrorCode::Internal, "the program ended by itself"));
}

cove::Result<std::string> run_cell(cove::Client& client, const std::string& id, std::string code) {
  COVE_ASSIGN(const cove::CellResult cell, client.execute_cell(id, {std::move(code), {}}));
  return cell.stdout_data;
}

cove::Result<> fork_a_session(cove::Client& client) {
  COVE_ASSIGN(const cove::RemoteSession first, client.open_session({}));
  COVE_TRY(run_cell(client, first.id, "numbers = list(range(1000))"));
  COVE_ASSIGN(const cove::RemoteSession second, client.fork(first.id));
  COVE_TRY(run_cell(client, second.id, "numbers.clear()"));
  COVE_ASSIGN(const std::string here, run_cell(client, first.id, "print(len(numbers))"));
  COVE_ASSIGN(const std::string there, run_cell(client, second.id, "print(len(numbers))"));
  std::printf("in the session: %sin its fork: %s", here.c_str(), there.c_str());
  COVE_TRY(client.remove_session(first.id));
  return client.remove_session(second.id);
}

// The tool that a language model calls: its answer is JSON, whatever came of it.
cove::Result<> call_a_tool(cove::Client& client) {
  const cove::json::object arguments{
      {"language", "python"}, {"code", "def run(n): return n * 7"}, {"input", 6}};
  COVE_ASSIGN(const cove::json::object answer, client.call_tool("code_exec", arguments));
  std::printf("the tool answered: %s\n", cove::json::serialize(answer.at("output")).c_str());
  return {};
}

// A refusal of the server is an error with its code and its words.
cove::Result<> show_refusal(cove::Client& client) {
  cove::ExecutionRequest request;
  request.language = "cobol";
  request.code = "x";
  const auto refused = client.execute(request);
  if (refused) return cove::Err(cove::Error(cove::ErrorCode::Internal, "it ran"));
  std::printf("refused: %s\n", std::string(cove::error_code_name(refused.error().code())).c_str());
  return {};
}

cove::Result<> run(cove::ClientOptions options) {
  COVE_ASSIGN(cove::Client client, cove::Client::connect(std::move(options)));
  COVE_TRY(client.health());
  COVE_TRY(add_two_numbers(client));
  COVE_TRY(watch_and_cancel(client));
  COVE_TRY(fork_a_session(client));
  COVE_TRY(call_a_tool(client));
  return show_refusal(client);
}

}  // namespace

int main(int argc, char** argv) {
  cove::ClientOptions options;
  if (const char* const server = std::getenv("COVE_SERVER")) options.url = server;
  if (const char* const key = std::getenv("COVE_API_KEY")) options.key = key;
  if (argc > 1) options.url = argv[1];
  const auto done = run(std::move(options));
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return 1;
}
