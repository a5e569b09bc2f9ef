#include "api/api_handler.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/authenticate.h"
#include "api/execution_routes.h"
#include "api/execution_socket.h"
#include "api/http_status.h"
#include "api/info_routes.h"
#include "api/refusal_audit.h"
#include "api/router.h"
#include "api/session_routes.h"
#include "api/tool_routes.h"
#include "api/trace_context.h"
#include "base/random_id.h"
#include "base/strings.h"

namespace cove {

namespace {

constexpr std::string_view kNoRoute = "none";

Result<> check_scope(const Caller& caller, RouteAccess access) {
  const auto need = [&caller](Scope scope, std::string_view name) -> Result<> {
    if (caller.may(scope)) return {};
    return Err(Error(ErrorCode::Forbidden,
                     "the key " + quoted(caller.name) + " lacks the scope " + std::string(name)));
  };
  switch (access) {
    case RouteAccess::Open:
    case RouteAccess::AnyKey:
      return {};
    case RouteAccess::Execute:
      return need(Scope::Execute, "execute");
    case RouteAccess::Sessions:
      return need(Scope::Sessions, "sessions");
    case RouteAccess::Admin:
      return need(Scope::Admin, "admin");
  }
  return {};
}

// What is not read must not be taken in silence: the caller would believe that it had an effect.
// Probes may carry what they like.
Result<> check_query(const HttpRequest& request, const Route& route) {
  if (route.access == RouteAccess::Open) return {};
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(route.query, name) != route.query.end()) continue;
    const std::vector<std::string> known(route.query.begin(), route.query.end());
    return Err(Error::invalid_field(
        escape_file_name(std::string_view(name).substr(0, utf8_cut(name, 100))),
        known.empty() ? std::string("is not known: there are no query parameters here")
                      : "is not known here; allowed: " + join(known, ", ")));
  }
  return {};
}

HttpResponse not_found(const HttpRequest& request, const RouteMatch& match) {
  if (match.allowed.empty()) {
    return error_response(
        Error(ErrorCode::NotFound, "there is nothing at " + quoted(request.path)));
  }
  std::vector<std::string> allowed(match.allowed.begin(), match.allowed.end());
  if (std::ranges::find(allowed, "GET") != allowed.end()) allowed.emplace_back("HEAD");
  HttpResponse response = json_response(
      405, json::object{{"error", json::object{{"code", "invalid_request"},
                                               {"message", quoted(request.method) +
                                                               " is not possible here; allowed: " +
                                                               join(allowed, ", ")}}}});
  return std::move(response.with_header("Allow", join(allowed, ", ")));
}

class ApiHandler final : public HttpHandler {
 public:
  explicit ApiHandler(std::shared_ptr<ApiServices> services)
      : services_(std::move(services)), refusals_(services_->engine) {
    add_info_routes(router_, services_);
    add_execution_socket(router_, services_);
    add_execution_routes(router_, services_);
    add_session_routes(router_, services_);
    add_tool_routes(router_, services_);
  }

  std::optional<HttpResponse> admit(const HttpRequest& request) override {
    Admission admission = look(request);
    if (!admission.refusal) return std::nullopt;
    const std::string id = request_id_of(request);
    log_refusal(request, admission, id);
    if (admission.refusal->status == 401) refusals_.add(request.peer, id);
    add_common_headers(*admission.refusal, id);
    return std::move(admission.refusal);
  }

  void handle(std::shared_ptr<const HttpRequest> request,
              std::shared_ptr<HttpExchange> exchange) override {
    Admission admission = look(*request);
    Call::Context context;
    context.request = request;
    context.exchange = std::move(exchange);
    context.log = services_->log;
    context.metrics = services_->metrics;
    context.route = admission.match.route != nullptr ? admission.match.route->pattern : kNoRoute;
    context.request_id = request_id_of(*request);
    context.traceparent = traceparent_of(*request);
    const auto call = std::make_shared<Call>(std::move(context));
    call->caller = std::move(admission.caller);
    call->params = std::move(admission.match.params);
    if (admission.refusal)
      return call->answer(std::move(*admission.refusal));  // a key just revoked
    admission.match.route->handler(call);
  }

  HttpResponse refusal(int status, std::string_view message, const std::string& peer) override {
    const ErrorCode code = status == 413 || status == 431 ? ErrorCode::TooLarge
                           : status == 503                ? ErrorCode::BackendUnavailable
                                                          : ErrorCode::InvalidRequest;
    HttpResponse response = error_response(Error(code, std::string(message)));
    response.status = status;
    if (status == 503) response.with_header("Retry-After", "1");
    const std::string id = random_id("req_");
    add_common_headers(response, id);
    services_->metrics->add(
        "cove_http_requests_total",
        {{"route", std::string(kNoRoute)}, {"method", "?"}, {"status", std::to_string(status)}});
    services_->log->write(
        "info", "refused",
        {{"request_id", id}, {"status", status}, {"message", message}, {"peer", peer}});
    return response;
  }

 private:
  struct Admission {
    RouteMatch match;
    Caller caller;
    std::optional<HttpResponse> refusal;
  };

  Admission look(const HttpRequest& request) const {
    Admission out;
    auto match = router_.match(request.method, request.path);
    if (!match) {
      out.refusal = error_response(match.error());
      return out;
    }
    out.match = std::move(*match);
    if (out.match.route == nullptr) {
      out.refusal = not_found(request, out.match);
      return out;
    }
    const RouteAccess access = out.match.route->access;
    if (access == RouteAccess::Open) return out;
    auto caller = authenticate(request, *services_->keys, services_->config.is_development());
    if (!caller) {
      out.refusal = error_response(caller.error());
      return out;
    }
    out.caller = std::move(*caller);
    if (const auto allowed = check_scope(out.caller, access); !allowed) {
      out.refusal = error_response(allowed.error());
    } else if (const auto known = check_query(request, *out.match.route); !known) {
      out.refusal = error_response(known.error());
    }
    return out;
  }

  void log_refusal(const HttpRequest& request, const Admission& admission, const std::string& id) {
    const std::string_view route =
        admission.match.route != nullptr ? admission.match.route->pattern : kNoRoute;
    const std::string_view path = request.path;
    json::object line{{"request_id", id},
                      {"method", sanitize_utf8(request.method)},
                      {"path", escape_file_name(path.substr(0, utf8_cut(path, 200)))},
                      {"status", admission.refusal->status},
                      {"peer", request.peer}};
    if (!admission.caller.name.empty()) line["caller"] = sanitize_utf8(admission.caller.name);
    const std::string traceparent = traceparent_of(request);
    if (!traceparent.empty()) line["traceparent"] = traceparent;
    const bool failed = admission.refusal->status >= 500;
    // The client is only told that the log knows more.
    if (failed) {
      if (const auto problem = services_->keys->problem()) {
        line["message"] = sanitize_utf8(problem->message());
      }
    }
    services_->log->write(failed ? "error" : "info", "request", std::move(line));
    services_->metrics->add("cove_http_requests_total",
                            {{"route", std::string(route)},
                             {"method", route == kNoRoute ? "?" : request.method},
                             {"status", std::to_string(admission.refusal->status)}});
  }

  std::shared_ptr<ApiServices> services_;
  RefusalAudit refusals_;
  Router router_;
};

}  // namespace

std::shared_ptr<HttpHandler> make_api_handler(std::shared_ptr<ApiServices> services) {
  return std::make_shared<ApiHandler>(std::move(services));
}

}  // namespace cove
