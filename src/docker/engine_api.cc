#include "docker/engine_api.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/parse_json.h"
#include "base/strings.h"
#include "base/write_json.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;

const json::value* member(const json::value& value, std::string_view name) {
  return value.is_object() ? value.as_object().if_contains(name) : nullptr;
}

std::string text_member(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
}

bool true_member(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  return found != nullptr && found->is_bool() && found->as_bool();
}

ErrorCode code_of(int status) {
  switch (status) {
    case 400:
      return ErrorCode::InvalidRequest;
    case 401:
    case 403:
      return ErrorCode::Forbidden;
    case 404:
      return ErrorCode::NotFound;
    case 409:
      return ErrorCode::Conflict;
    default:
      return ErrorCode::BackendUnavailable;
  }
}

Err refusal(const HttpReply& reply) {
  std::string message;
  if (const auto body = parse_json(reply.body)) message = text_member(*body, "message");
  if (message.empty()) message = fmt::format("status {}", reply.status);
  return Err(Error(code_of(reply.status),
                   fmt::format("the Docker engine says: {}", escape_file_name(message))));
}

// For a query: everything but letters, digits and a few signs as %NN.
std::string query_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

json::array strings(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

json::object exec_request(const ExecSpec& spec, bool input) {
  json::object body;
  body["AttachStdin"] = input;
  body["AttachStdout"] = true;
  body["AttachStderr"] = true;
  body["Tty"] = false;
  body["Privileged"] = false;
  body["Cmd"] = strings(spec.argv);
  body["Env"] = strings(spec.env);
  body["User"] = spec.user;
  body["WorkingDir"] = spec.working_directory;
  return body;
}

HttpConversation conversation_for(std::string target, std::string_view body) {
  HttpConversation talk;
  talk.call.method = "POST";
  talk.call.target = std::move(target);
  talk.call.headers = {{"Connection", "Upgrade"}, {"Upgrade", "tcp"}};
  talk.call.content_type = "application/json";
  talk.call.body = body;
  talk.call.slice = std::chrono::milliseconds(10);
  return talk;
}

}  // namespace

std::string ListedContainer::label(std::string_view name) const {
  const auto found = std::ranges::find(labels, name, &std::pair<std::string, std::string>::first);
  return found == labels.end() ? "" : found->second;
}

Result<EngineApi> EngineApi::connect(const DockerHost& host) {
  COVE_ASSIGN(auto transport, HttpTransport::create(host.url, host.transport));
  return EngineApi(host, std::move(transport));
}

Result<json::value> EngineApi::call(const Call& call) {
  HttpCall http;
  http.method = call.method;
  http.target = call.target;
  const std::string body = call.body ? write_json(*call.body) : "";
  if (call.body) http.content_type = "application/json";
  http.body = body;
  http.patience = call.patience;
  COVE_ASSIGN(const HttpReply reply, transport_->exchange(http));
  if (reply.status >= 300 && reply.status != 304) return refusal(reply);
  if (reply.body.empty()) return json::value();
  auto value = parse_json(reply.body);
  if (!value) {
    return Err(Error(ErrorCode::Internal, fmt::format("{} does not answer as a Docker engine does",
                                                      quoted(host_.text))));
  }
  return std::move(*value);
}

Result<DockerEngineFacts> EngineApi::facts() {
  auto info = call({.target = "/info", .body = {}, .patience = std::chrono::seconds(20)});
  if (!info) {
    return Err(Error(ErrorCode::BackendUnavailable,
                     fmt::format("no Docker engine answers at {}: {}; start one, or name another "
                                 "(--docker-host, DOCKER_HOST)",
                                 quoted(host_.text), info.error().message())));
  }
  DockerEngineFacts facts;
  facts.version = text_member(*info, "ServerVersion");
  facts.runtime = text_member(*info, "DefaultRuntime");
  facts.memory = true_member(*info, "MemoryLimit");
  facts.swap = true_member(*info, "SwapLimit");
  facts.cpus = true_member(*info, "CpuCfsQuota");
  facts.processes = true_member(*info, "PidsLimit");
  if (const json::value* const list = member(*info, "SecurityOptions");
      list != nullptr && list->is_array()) {
    for (const json::value& option : list->as_array()) {
      if (!option.is_string()) continue;
      const std::string_view name(option.as_string().data(), option.as_string().size());
      facts.remaps_users |= name.starts_with("name=userns") || name.starts_with("name=rootless");
    }
  }
  return facts;
}

Result<std::string> EngineApi::create_container(const std::string& name, const json::object& body) {
  COVE_ASSIGN(const json::value made, call({.method = "POST",
                                            .target = "/containers/create?name=" + query_text(name),
                                            .body = body}));
  std::string id = text_member(made, "Id");
  if (id.empty()) return Err(Error(ErrorCode::Internal, "the Docker engine named no container"));
  return id;
}

Result<> EngineApi::start_container(const std::string& id) {
  COVE_TRY(call({.method = "POST", .target = fmt::format("/containers/{}/start", id), .body = {}}));
  return {};
}

Result<> EngineApi::stop_container(const std::string& id) {
  COVE_TRY(
      call({.method = "POST", .target = fmt::format("/containers/{}/stop?t=0", id), .body = {}}));
  return {};
}

Result<> EngineApi::remove_container(const std::string& id) {
  const auto done = call(
      {.method = "DELETE", .target = fmt::format("/containers/{}?force=1&v=1", id), .body = {}});
  if (done || done.error().code() == ErrorCode::NotFound) return {};
  if (done.error().code() != ErrorCode::Conflict) return Err(done.error());
  // Its own end removes it, too, and was first: it is going.
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (Clock::now() < deadline) {
    const auto there = call({.target = fmt::format("/containers/{}/json", id), .body = {}});
    if (!there && there.error().code() == ErrorCode::NotFound) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return Err(done.error());
}

Result<bool> EngineApi::is_running(const std::string& id) {
  const auto found = call({.target = fmt::format("/containers/{}/json", id), .body = {}});
  if (!found && found.error().code() == ErrorCode::NotFound) return false;
  if (!found) return Err(found.error());
  const json::value* const state = member(*found, "State");
  return state != nullptr && true_member(*state, "Running");
}

Result<std::vector<ListedContainer>> EngineApi::containers_with(std::string_view label) {
  const json::object filters{{"label", json::array{label}}};
  COVE_ASSIGN(const json::value list,
              call({.target = "/containers/json?all=1&filters=" + query_text(write_json(filters)),
                    .body = {}}));
  std::vector<ListedContainer> out;
  if (!list.is_array()) return out;
  for (const json::value& entry : list.as_array()) {
    ListedContainer container;
    container.id = text_member(entry, "Id");
    const json::value* const labels = member(entry, "Labels");
    if (container.id.empty() || labels == nullptr || !labels->is_object()) continue;
    for (const auto& label_entry : labels->as_object()) {
      if (!label_entry.value().is_string()) continue;
      container.labels.emplace_back(std::string(label_entry.key()),
                                    std::string(label_entry.value().as_string()));
    }
    out.push_back(std::move(container));
  }
  return out;
}

Result<> EngineApi::hold_input(const std::string& id, const std::function<void()>& on_open,
                               const std::function<bool()>& give_up) {
  // With its output, which nobody writes to: it is the end of that by which the engine ends this.
  HttpConversation talk = conversation_for(
      fmt::format("/containers/{}/attach?stream=1&stdin=1&stdout=1&stderr=1", id), "");
  talk.call.content_type = {};
  talk.call.slice = std::chrono::milliseconds(50);
  talk.call.give_up = give_up;
  talk.call.on_piece = [](std::string_view) -> Result<> { return {}; };
  talk.on_open = on_open;
  COVE_ASSIGN(const HttpReply reply, transport_->converse(talk));
  if (reply.status != 101 && reply.status != 200) return refusal(reply);
  return {};
}

Result<int> EngineApi::run(const std::string& container, const ExecSpec& spec,
                           const ExecTalk& talk) {
  COVE_ASSIGN(const json::value made, call({.method = "POST",
                                            .target = fmt::format("/containers/{}/exec", container),
                                            .body = exec_request(spec, !talk.input.empty())}));
  const std::string id = text_member(made, "Id");
  if (id.empty()) return Err(Error(ErrorCode::Internal, "the Docker engine named no process"));

  std::string said;  // the start of it: when a process could not be started, this says why
  OutputFrames frames([&](OutputFrames::Stream stream, std::string_view piece) {
    if (said.size() < 1024) said += piece.substr(0, 1024 - said.size());
    if (talk.on_output) talk.on_output(stream, piece);
  });
  HttpConversation conversation =
      conversation_for(fmt::format("/exec/{}/start", id), R"({"Detach":false,"Tty":false})");
  conversation.input = talk.input;
  conversation.more_input = talk.more_input;
  conversation.call.give_up = talk.give_up;
  conversation.call.on_piece = [&frames](std::string_view piece) { return frames.feed(piece); };
  COVE_ASSIGN(const HttpReply reply, transport_->converse(conversation));
  if (reply.status != 101 && reply.status != 200) return refusal(reply);
  COVE_TRY(frames.finish());
  return exit_code(id, said);
}

// The output may end a moment before the engine has noticed the end of the process.
Result<int> EngineApi::exit_code(const std::string& exec, std::string_view said) {
  const auto deadline = Clock::now() + std::chrono::seconds(5);
  for (;;) {
    COVE_ASSIGN(const json::value state,
                call({.target = fmt::format("/exec/{}/json", exec), .body = {}}));
    if (!true_member(state, "Running")) {
      const json::value* const code = member(state, "ExitCode");
      const json::value* const pid = member(state, "Pid");
      // An engine that could not start it gives it one of a shell's codes and no process.
      const bool no_process = pid != nullptr && pid->is_int64() && pid->as_int64() == 0;
      const bool shell_code = code != nullptr && code->is_int64() &&
                              (code->as_int64() == 126 || code->as_int64() == 127);
      if (no_process && shell_code) {
        return Err(
            Error(ErrorCode::ExecutionFailed,
                  fmt::format("the Docker engine could not start a process in the container: "
                              "{}",
                              escape_file_name(trim(said)))));
      }
      if (code != nullptr && code->is_int64()) return static_cast<int>(code->as_int64());
      return Err(
          Error(ErrorCode::BackendUnavailable, "the container ended before its process did"));
    }
    if (Clock::now() >= deadline) {
      return Err(Error(ErrorCode::BackendUnavailable,
                       "the Docker engine does not say how a process ended"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace cove
