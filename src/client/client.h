#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "client/client_types.h"
#include "model/execution_request.h"
#include "session/session.h"

namespace cove {

class HttpTransport;
struct HttpCall;
struct HttpReply;

// A Cove server, from C++. Calls block and may come from many threads; connections are kept. A
// refusal of the server is an Error with the server's code and message; what a program does is a
// result. BackendUnavailable: the server could not be reached.
class Client {
 public:
  static Result<Client> connect(ClientOptions options);  // the first call really connects
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  Result<> health();
  Result<json::object> capabilities();
  Result<json::object> policies();  // "default", "custom", "policies"
  Result<std::vector<RemoteLanguage>> languages();
  Result<std::string> metrics();  // Prometheus text

  // The tools that a model may call there: name, description, parameters (a JSON schema), scopes.
  Result<json::array> tools();
  // One call, as Tool::call(): what came of it, good or bad, is the answer. An Error: the key does
  // not allow it, or the server could not take it. Cancelling ends the execution on the server.
  Result<json::object> call_tool(std::string_view name, const json::value& arguments,
                                 const std::stop_token& cancel = {});

  // Runs to the end. With a sink the output is streamed to it. Cancelling ends the execution on the
  // server; its result is then that of a cancelled one. Files that the request wants collected come
  // with their content.
  Result<ExecutionResult> execute(const ExecutionRequest& request,
                                  const RemoteContext& context = {});
  // Starts and returns at once; the id is good for find(), follow(), cancel().
  Result<RemoteExecution> submit(const ExecutionRequest& request,
                                 PolicyForm policy = PolicyForm::ByName,
                                 const std::string& backend = "");
  // The output of an execution so far and until its end. Cancelling leaves it running.
  Result<ExecutionResult> follow(std::string_view id, const RemoteContext& context);
  // Its output until now, and no more.
  Result<> output_so_far(std::string_view id, const RemoteContext& context);
  Result<RemoteExecution> find(std::string_view id);
  Result<RemoteExecutions> list(const ListFilter& filter = {});
  Result<RemoteExecution> cancel(std::string_view id);
  Result<RemoteFile> download(std::string_view id, std::string_view name);

  Result<RemoteSession> open_session(const NewSession& session);
  Result<RemoteSession> session(std::string_view id);
  Result<std::vector<RemoteSession>> sessions();
  Result<> remove_session(std::string_view id);
  // One cell. Cancelling interrupts it; the session stays, and the result says no more than that.
  Result<CellResult> execute_cell(std::string_view id, const Cell& cell,
                                  const RemoteContext& context = {});
  Result<> interrupt(std::string_view id);
  Result<> reset(std::string_view id);
  Result<RemoteSession> fork(std::string_view id);
  Result<RemoteCheckpoint> checkpoint(std::string_view id, std::string_view name = "");
  Result<std::vector<RemoteCheckpoint>> checkpoints(std::string_view id);
  Result<RemoteSession> rollback(std::string_view id, std::string_view checkpoint);
  Result<> remove_checkpoint(std::string_view id, std::string_view checkpoint);
  Result<std::vector<SessionFile>> session_files(std::string_view id);
  Result<RemoteFile> read_session_file(std::string_view id, std::string_view name);
  Result<> write_session_file(std::string_view id, std::string_view name, std::string_view content);
  Result<> remove_session_file(std::string_view id, std::string_view name);

 private:
  struct Stream;  // how the events of one call are taken

  Client(ClientOptions options, std::unique_ptr<HttpTransport> transport);
  HttpCall call(std::string_view method, std::string target) const;
  Result<HttpReply> send(const HttpCall& call);  // refusals of the server become errors
  Result<json::value> send_json(const HttpCall& call);
  Result<json::value> get(std::string target);
  Result<> post(std::string target);
  Result<> remove(std::string target);
  Result<RemoteFile> get_file(std::string target);
  // The value of the last event, "result".
  Result<json::value> stream(HttpCall call, const RemoteContext& context, Stream& how);
  Result<> collect_files(ExecutionResult& result);

  ClientOptions options_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace cove
