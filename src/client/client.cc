#include "client/client.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "base/parse_json.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "client/client_codec.h"
#include "client/client_stream.h"
#include "http/http_transport.h"
#include "model/result_codec.h"

namespace cove {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::chrono::milliseconds kQuick{10'000};  // for what a server does at once

std::string execution_path(std::string_view id) {
  return "/v1/executions/" + percent_encode(id);
}

}  // namespace

Client::Client(ClientOptions options, std::unique_ptr<HttpTransport> transport)
    : options_(std::move(options)), transport_(std::move(transport)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(ClientOptions options) {
  COVE_ASSIGN(ServerUrl url, parse_server_url(options.url));
  // A line break would end the header and begin another.
  const auto printable = [](char c) { return c > 0x20 && c < 0x7F; };
  if (!std::ranges::all_of(options.key, printable)) {
    return Err(Error(ErrorCode::InvalidRequest,
                     "the key must be printable ASCII characters without spaces"));
  }
  TransportOptions transport;
  transport.ca_file = options.ca_file;
  transport.verify_certificate = options.verify_certificate;
  transport.connect_timeout = options.connect_timeout;
  transport.max_body = options.max_answer;
  COVE_ASSIGN(auto made, HttpTransport::create(std::move(url), std::move(transport)));
  return Client(std::move(options), std::move(made));
}

HttpCall Client::call(std::string_view method, std::string target) const {
  HttpCall out;
  out.method = method;
  out.target = std::move(target);
  out.patience = options_.silence;
  if (!options_.key.empty()) out.headers.emplace_back("Authorization", "Bearer " + options_.key);
  return out;
}

Result<HttpReply> Client::send(const HttpCall& call) {
  COVE_ASSIGN(HttpReply reply, transport_->exchange(call));
  if (reply.status >= 200 && reply.status < 300) return reply;
  return Err(error_of_answer(reply.status, reply.body, reply.retry_after));
}

Result<json::value> Client::send_json(const HttpCall& call) {
  COVE_ASSIGN(const HttpReply reply, send(call));
  JsonParseLimits limits;
  limits.size = options_.max_answer;
  auto value = parse_json(reply.body, limits);
  if (value) return value;
  return Err(Error(ErrorCode::Internal,
                   "the server's answer is no proper JSON: " + value.error().message()));
}

Result<json::value> Client::get(std::string target) {
  return send_json(call("GET", std::move(target)));
}

Result<> Client::post(std::string target) {
  COVE_TRY(send(call("POST", std::move(target))));
  return {};
}

Result<> Client::remove(std::string target) {
  COVE_TRY(send(call("DELETE", std::move(target))));
  return {};
}

Result<RemoteFile> Client::get_file(std::string target) {
  COVE_ASSIGN(HttpReply reply, send(call("GET", std::move(target))));
  return RemoteFile{std::move(reply.content_type), std::move(reply.body)};
}

Result<> Client::health() {
  COVE_TRY(send(call("GET", "/healthz")));
  return {};
}

Result<json::object> Client::capabilities() {
  COVE_ASSIGN(json::value value, get("/v1/capabilities"));
  if (value.is_object()) return std::move(value.get_object());
  return Err(Error(ErrorCode::Internal, "the server's capabilities are no object"));
}

Result<json::object> Client::policies() {
  COVE_ASSIGN(json::value value, get("/v1/policies"));
  if (value.is_object()) return std::move(value.get_object());
  return Err(Error(ErrorCode::Internal, "the server's policies are no object"));
}

Result<std::vector<RemoteLanguage>> Client::languages() {
  COVE_ASSIGN(const json::value value, get("/v1/languages"));
  return decode_languages(value);
}

Result<json::array> Client::tools() {
  COVE_ASSIGN(json::value value, get("/v1/tools"));
  json::value* const list = value.is_object() ? value.get_object().if_contains("tools") : nullptr;
  if (list != nullptr && list->is_array()) return std::move(list->get_array());
  return Err(Error(ErrorCode::Internal, "the server's list of tools is no list"));
}

Result<json::object> Client::call_tool(std::string_view name, const json::value& arguments,
                                       const std::stop_token& cancel) {
  const std::string body = write_json(arguments);
  HttpCall out = call("POST", "/v1/tools/" + percent_encode(name));
  out.content_type = kJson;
  out.body = body;
  out.give_up = [&cancel] { return cancel.stop_requested(); };  // the server ends what it hears no
                                                                // more of
  COVE_ASSIGN(json::value value, send_json(out));
  if (value.is_object()) return std::move(value.get_object());
  return Err(Error(ErrorCode::Internal, "the server's answer is no object"));
}

Result<std::string> Client::metrics() {
  COVE_ASSIGN(HttpReply reply, send(call("GET", "/metrics")));
  return std::move(reply.body);
}

Result<json::value> Client::stream(HttpCall call, const RemoteContext& context, Stream& how) {
  using Clock = std::chrono::steady_clock;
  EventReader reader(context, options_.max_answer);
  std::atomic<bool> give_up = false;
  std::atomic<Clock::time_point> last_call = Clock::time_point::max();
  call.headers.emplace_back("Accept", "application/x-ndjson");
  call.give_up = [&] { return give_up || Clock::now() > last_call.load(); };
  call.on_head = [&reader](int status, std::string_view type) {
    return status == 200 && reader.open(type);
  };
  call.on_piece = [&reader](std::string_view piece) { return reader.take(piece); };
  // On cancellation the server is asked to end the work, and what it came to still arrives. If it
  // cannot be asked, hanging up has the same effect, without the answer.
  std::optional<std::stop_callback<std::function<void()>>> on_cancel;
  on_cancel.emplace(context.cancel, [&] {
    if (!how.end || !how.end(reader.id())) give_up = true;
    last_call = Clock::now() + kQuick;
  });
  auto reply = transport_->exchange(call);
  on_cancel.reset();
  if (!reply) return Err(std::move(reply).error());
  if (reply->status != 200) {
    return Err(error_of_answer(reply->status, reply->body, reply->retry_after));
  }
  return reader.finish();
}

Result<> Client::collect_files(ExecutionResult& result) {
  std::uint64_t total = 0;
  for (OutputFile& file : result.output_files) {
    if (file.content) continue;
    auto got = download(result.execution_id, file.name);
    if (!got) {
      result.output_files_incomplete = true;
      continue;
    }
    total += got->content.size();
    if (total > options_.max_answer.value) {
      return Err(Error(ErrorCode::TooLarge, "the output files are larger than max_answer"));
    }
    file.content = std::move(got->content);
  }
  return {};
}

Result<ExecutionResult> Client::execute(const ExecutionRequest& request,
                                        const RemoteContext& context) {
  COVE_TRY(check_sendable(request));
  const std::string body = write_json(encode_request(request, context.policy, context.backend));
  HttpCall out = call("POST", "/v1/executions?stream=ndjson");
  out.content_type = kJson;
  out.body = body;
  Stream how;
  how.end = [this](const std::string& id) { return !id.empty() && cancel(id).has_value(); };
  auto value = stream(std::move(out), context, how);
  if (!value && context.cancel.stop_requested()) {
    ExecutionResult cancelled;  // it went before it could say more
    cancelled.status = ExecutionStatus::Cancelled;
    cancelled.killed = true;
    return cancelled;
  }
  if (!value) return Err(std::move(value).error());
  COVE_ASSIGN(ExecutionResult result, decode_result(*value));
  if (request.collect_file_contents) COVE_TRY(collect_files(result));
  return result;
}

Result<RemoteExecution> Client::submit(const ExecutionRequest& request, PolicyForm policy,
                                       const std::string& backend) {
  COVE_TRY(check_sendable(request));
  const std::string body = write_json(encode_request(request, policy, backend));
  HttpCall out = call("POST", "/v1/executions?async=true");
  out.content_type = kJson;
  out.body = body;
  COVE_ASSIGN(const json::value value, send_json(out));
  return decode_execution(value);
}

Result<ExecutionResult> Client::follow(std::string_view id, const RemoteContext& context) {
  Stream how;  // cancelling only stops the watching
  COVE_ASSIGN(const json::value value,
              stream(call("GET", execution_path(id) + "/events?stream=ndjson"), context, how));
  return decode_result(value);
}

Result<> Client::output_so_far(std::string_view id, const RemoteContext& context) {
  Stream how;
  COVE_TRY(
      stream(call("GET", execution_path(id) + "/events?stream=ndjson&follow=false"), context, how));
  return {};
}

Result<RemoteExecution> Client::find(std::string_view id) {
  COVE_ASSIGN(const json::value value, get(execution_path(id)));
  return decode_execution(value);
}

Result<RemoteExecutions> Client::list(const ListFilter& filter) {
  std::string target = fmt::format("/v1/executions?limit={}", filter.limit);
  const auto add = [&target](std::string_view name, const std::string& value) {
    if (!value.empty()) target += fmt::format("&{}={}", name, percent_encode(value));
  };
  add("before", filter.before);
  add("state", filter.state);
  add("caller", filter.caller);
  COVE_ASSIGN(const json::value value, get(std::move(target)));
  return decode_executions(value);
}

Result<RemoteExecution> Client::cancel(std::string_view id) {
  HttpCall out = call("DELETE", execution_path(id));
  out.patience = kQuick;
  COVE_ASSIGN(const json::value value, send_json(out));
  return decode_execution(value);
}

Result<RemoteFile> Client::download(std::string_view id, std::string_view name) {
  return get_file(execution_path(id) + "/files/" + percent_encode(name, true));
}

}  // namespace cove
