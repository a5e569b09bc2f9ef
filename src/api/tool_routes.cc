#include "api/tool_routes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/http_status.h"
#include "api/run_job.h"
#include "tool/code_call.h"
#include "tool/code_tool.h"

namespace cove {

namespace {

using Services = std::shared_ptr<ApiServices>;
using CallPtr = std::shared_ptr<Call>;

// As this caller can use it: its key may allow some languages only, the server less time.
CodeTool tool_for(const ApiServices& services, const Call& call) {
  CodeToolOptions options;
  options.languages = call.caller.limits.languages;
  options.longest =
      std::clamp(std::chrono::floor<std::chrono::seconds>(services.config.max_timeout),
                 kShortestCodeTimeout, kLongestCodeTimeout);
  return {services.executor, services.catalog, std::move(options)};
}

// What a caller may not do, and what this server cannot do now, is for whoever made the call; all
// else came of the arguments, which a model wrote and can mend: that is an answer of the tool.
bool is_servers_own(ErrorCode code) {
  switch (code) {
    case ErrorCode::Unauthorized:
    case ErrorCode::Forbidden:
    case ErrorCode::Busy:
    case ErrorCode::BackendUnavailable:
    case ErrorCode::Sandbox:
    case ErrorCode::Internal:
      return true;
    default:
      return false;
  }
}

void answer_problem(const ApiServices& services, Call& call, const Error& error) {
  if (is_servers_own(error.code())) return answer_refusal(services, call, error);
  call.note("error", error_code_name(error.code()));
  call.answer_json(200, tool_error(error));
}

HttpResponse answer_of(const JobRecord& record, const CodeBounds& bounds) {
  if (record.error && is_servers_own(record.error->code())) return error_response(*record.error);
  json::object answer = record.error    ? tool_error(*record.error)
                        : record.result ? encode_code_result(*record.result, bounds)
                                        : json::object();
  answer["execution_id"] = record.id;
  return json_response(200, answer);
}

Result<DecodedSubmission> decode_call(const ApiServices& services, const Call& call,
                                      const json::value& arguments) {
  const RequestGuard guard(services.config, services.presets, call.caller.limits.policies);
  DecodedSubmission out;
  CodeOffer offer;
  offer.usual = usual_language(std::move(offer.usual), call.caller.limits.languages);
  offer.languages = [&services, &call] { return tool_for(services, call).languages(); };
  COVE_ASSIGN(DecodedCodeCall decoded, decode_code_call(arguments, services.catalog, offer));
  out.request = std::move(decoded.request);
  COVE_ASSIGN(RequestGuard::ChosenPolicy chosen, guard.choose_policy(nullptr));
  out.request.policy = std::move(chosen.policy);
  out.policy_name = std::move(chosen.name);
  out.notes = std::move(chosen.notes);
  out.notes.insert(out.notes.begin(), decoded.notes.begin(), decoded.notes.end());
  return out;
}

void execute_code(const Services& services, const CallPtr& call) {
  with_body(services, call, [services, call] {
    const auto arguments = parse_body(call->request().body);
    if (!arguments) return call->answer(arguments.error());
    auto submission = decode_call(*services, *call, *arguments);
    if (!submission) return answer_problem(*services, *call, submission.error());
    CodeBounds bounds = code_bounds(submission->request, services->catalog);
    bounds.timeout = std::min(bounds.timeout, services->config.max_timeout);
    run_job(
        services, call, std::move(*submission),
        [bounds](const JobRecord& record) { return answer_of(record, bounds); },
        [services, call](const Error& error) { answer_problem(*services, *call, error); });
  });
}

void list_tools(const Services& services, const CallPtr& call) {
  const CodeTool tool = tool_for(*services, *call);
  call->answer_json(200, json::object{{"tools", json::array{describe_tool(tool)}}});
}

}  // namespace

void add_tool_routes(Router& router, const Services& services) {
  router.add({"GET", "/v1/tools", RouteAccess::AnyKey, [services](const CallPtr& call) {
                // Looks for interpreters and compilers.
                if (!services->workers->run([services, call] { list_tools(services, call); })) {
                  answer_refusal(*services, *call,
                                 Error(ErrorCode::Busy, "too many requests at once"));
                }
              }});
  router.add({"POST", "/v1/tools/code_exec", RouteAccess::Execute,
              [services](const CallPtr& call) { execute_code(services, call); }});
}

}  // namespace cove
