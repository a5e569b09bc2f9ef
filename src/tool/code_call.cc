#include "tool/code_call.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/strings.h"
#include "model/diagnostic_codec.h"
#include "model/request_codec.h"
#include "tool/run_signature.h"
#include "tool/tool.h"

namespace cove {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Whole seconds, however a model writes them: 30 and 30.0 are the same.
Result<seconds> read_timeout(JsonFields& fields, seconds longest, std::vector<std::string>& notes) {
  std::optional<double> asked;
  COVE_TRY(fields.read("timeout_secs", asked));
  if (!asked) return std::min(kUsualCodeTimeout, longest);
  if (std::floor(*asked) != *asked) {
    return fields.error("timeout_secs",
                        fmt::format("must be a whole number of seconds from {} to {}, got {}",
                                    kShortestCodeTimeout.count(), longest.count(), *asked));
  }
  const auto most = static_cast<double>(longest.count());
  const auto least = static_cast<double>(kShortestCodeTimeout.count());
  const double taken = std::clamp(*asked, least, most);
  if (taken != *asked) {
    notes.push_back(fmt::format("timeout_secs is {}, the {} here, not {}", taken,
                                taken < *asked ? "most" : "least", *asked));
  }
  return seconds(static_cast<seconds::rep>(taken));
}

// The compiler was stopped: the program itself never ran.
bool ended_before_running(const ExecutionResult& result) {
  return result.compile &&
         (result.compile->steps.empty() || result.compile->steps.back().name != "run");
}

// What the program said, then why it was ended.
std::string with_reason(const ExecutionResult& result, std::string reason) {
  // That it was cancelled is said in one way, whenever that was, and by a client that has left.
  const bool cancelled = result.status == ExecutionStatus::Cancelled;
  if (!cancelled && ended_before_running(result) && !result.notes.empty()) {
    reason = join(result.notes, "; ");
  }
  std::string text = sanitize_utf8(result.stderr_data);
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + sanitize_utf8(reason);
}

std::string format_seconds(milliseconds time) {
  const auto whole = duration_cast<seconds>(time);
  if (whole == time) return fmt::format("{}s", whole.count());
  return fmt::format("{:g}s", std::chrono::duration<double>(time).count());
}

void add_output(json::object& out, const ExecutionResult& result) {
  out["stdout"] = sanitize_utf8(result.display_stdout.value_or(result.stdout_data));
}

// What the sources do not have; only where there is something to say.
void add_further(json::object& out, const ExecutionResult& result) {
  if (!result.diagnostics.empty()) out["diagnostics"] = encode_diagnostics(result.diagnostics);
  if (result.diagnostics_text) out["diagnostics_text"] = sanitize_utf8(*result.diagnostics_text);
  if (result.signal) out["signal"] = sanitize_utf8(*result.signal);
  if (result.stdout_truncated) out["stdout_truncated"] = true;
  if (result.stderr_truncated) out["stderr_truncated"] = true;
  if (!result.notes.empty()) {
    json::array notes;
    for (const std::string& note : result.notes) notes.emplace_back(sanitize_utf8(note));
    out["notes"] = std::move(notes);
  }
}

// The program ran to its end, by itself or by a signal.
json::object encode_ended(const ExecutionResult& result) {
  json::object out{{"status", "success"}};
  add_output(out, result);
  out["stderr"] = sanitize_utf8(result.stderr_data);
  out["exit_code"] = result.exit_code.value_or(-1);
  out["output"] = result.output.value_or(nullptr);
  out["diagnostics"] = json::array();
  return out;
}

json::object encode_status(const ExecutionResult& result, const CodeBounds& bounds) {
  const auto stopped = [&result](std::string_view status, std::string reason) {
    json::object out{{"status", status}};
    add_output(out, result);
    out["stderr"] = with_reason(result, std::move(reason));
    return out;
  };
  switch (result.status) {
    case ExecutionStatus::Failed:
      if (result.exit_code == 0) {
        // With `input`, and no value: a null as `output` would be taken for one.
        json::object out = stopped("error", join(result.notes, "; "));
        out["exit_code"] = 0;
        return out;
      }
      return encode_ended(result);
    case ExecutionStatus::Success:
      return encode_ended(result);
    case ExecutionStatus::CompileFailed:
      return {{"status", "compile_error"},
              {"diagnostics", json::array()},
              {"stderr", sanitize_utf8(result.stderr_data)}};
    case ExecutionStatus::Timeout:
      return stopped("timeout", "execution timed out after " + format_seconds(bounds.timeout));
    case ExecutionStatus::Oom:
      return stopped("memory_exceeded",
                     fmt::format("memory limit exceeded: {} MB", bounds.memory.value >> 20U));
    case ExecutionStatus::Cancelled:
      return stopped("error", "cancelled");
    case ExecutionStatus::Rejected:
      break;
  }
  return stopped("error", "rejected by the policy");
}

}  // namespace

std::string code_scope(std::string_view language) {
  return fmt::format("{}:{}", kCodeScope, language);
}

std::string usual_language(std::string usual, const std::vector<std::string>& allowed) {
  if (allowed.empty() || std::ranges::find(allowed, usual) != allowed.end()) return usual;
  return allowed.size() == 1 ? allowed.front() : "";
}

std::string code_tool_description() {
  return "Runs a program in a fresh sandbox, without network and without files of the host, and "
         "answers with what it printed. Compiled languages are compiled first. With `input` the "
         "code provides only a function run(input) that returns a JSON value, which is answered as "
         "`output`; without, it is a whole program. `status` is success (look at exit_code), "
         "compile_error (read diagnostics_text and repair the program), timeout, memory_exceeded "
         "or error.";
}

json::object code_parameters(const RuntimeCatalog& catalog, const CodeOffer& offer) {
  const std::vector<std::string> languages = offer.languages();
  json::object language{{"type", "string"},
                        {"enum", json::value_from(languages)},
                        {"description", "The language of the code"}};
  json::array required{"code"};
  if (std::ranges::find(languages, offer.usual) != languages.end()) {
    language["default"] = offer.usual;
  } else {
    required.emplace_back("language");
  }
  json::object properties;
  properties["language"] = std::move(language);
  properties["code"] = json::object{{"type", "string"}, {"description", "The program"}};
  properties["input"] =
      json::object{{"type", json::array{"object", "array", "string", "number", "boolean", "null"}},
                   {"description",
                    "Calls run(input) of the code with this value. Leave it out to run the code as "
                    "a whole program. " +
                        run_signatures(catalog, languages)}};
  properties["timeout_secs"] =
      json::object{{"type", "integer"},
                   {"minimum", kShortestCodeTimeout.count()},
                   {"maximum", offer.longest.count()},
                   {"default", std::min(kUsualCodeTimeout, offer.longest).count()},
                   {"description", "How long the program may run"}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Result<DecodedCodeCall> decode_code_call(const json::value& arguments,
                                         const RuntimeCatalog& catalog, const CodeOffer& offer) {
  auto fields = JsonFields::of(arguments, "");
  if (!fields) return Err(std::move(fields).error().with_context("the arguments"));
  DecodedCodeCall call;
  ExecutionRequest& out = call.request;
  out.language = offer.usual;
  if (fields->find("code") == nullptr) {
    return Err(Error(ErrorCode::InvalidRequest, fmt::format("{}\"code\"", kMissingField)));
  }
  COVE_TRY(fields->read("code", out.code));
  COVE_TRY(fields->read("language", out.language));
  if (const json::value* input = fields->find_nullable("input")) out.input = *input;
  COVE_ASSIGN(out.timeout, read_timeout(*fields, offer.longest, call.notes));
  COVE_TRY(fields->no_others());
  if (out.language.empty() && fields->find("language") == nullptr) {
    return Err(Error(
        ErrorCode::InvalidRequest,
        fmt::format("{}\"language\"; there are {}", kMissingField, join(offer.languages(), ", "))));
  }
  const LanguageProfile* const profile = catalog.find_profile(out.language);
  if (profile == nullptr) {
    return Err(Error(ErrorCode::UnsupportedLanguage,
                     fmt::format("unsupported language {}; there are {}", quoted(out.language),
                                 join(offer.languages(), ", "))));
  }
  out.language = profile->name;
  COVE_TRY(validate_request_values(out));
  return call;
}

CodeBounds code_bounds(const ExecutionRequest& request, const RuntimeCatalog& catalog) {
  const LanguageProfile* const profile = catalog.find_profile(request.language);
  CodeBounds out;
  out.timeout = request.timeout.value_or(kUsualCodeTimeout);
  out.memory = resolve_limits(request.limits, request.policy.limits,
                              profile == nullptr ? Limits() : profile->limits)
                   .memory;
  return out;
}

json::object encode_code_result(const ExecutionResult& result, const CodeBounds& bounds) {
  json::object out = encode_status(result, bounds);
  out["duration_ms"] = duration_cast<milliseconds>(result.duration).count();
  add_further(out, result);
  return out;
}

}  // namespace cove
