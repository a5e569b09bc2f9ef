#include "tool/code_tool.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "tool/code_call.h"

namespace cove {

CodeTool::CodeTool(std::shared_ptr<CodeExecutor> executor, RuntimeCatalog catalog,
                   CodeToolOptions options)
    : executor_(std::move(executor)), catalog_(std::move(catalog)), options_(std::move(options)) {}

std::string_view CodeTool::name() const {
  return kCodeToolName;
}

std::string CodeTool::description() const {
  return code_tool_description();
}

json::object CodeTool::parameters() const {
  return code_parameters(catalog_, offer());
}

std::vector<std::string> CodeTool::required_scopes() const {
  return {std::string(kCodeScope), code_scope("<language>")};
}

CodeOffer CodeTool::offer() const {
  return {.usual = usual_language(options_.language, options_.languages),
          .longest = options_.longest,
          .languages = [this] { return languages(); }};
}

bool CodeTool::offers(std::string_view language) const {
  return options_.languages.empty() ||
         std::ranges::find(options_.languages, language) != options_.languages.end();
}

std::vector<std::string> CodeTool::languages() const {
  std::vector<std::string> names;
  for (const LanguageProfile& profile : catalog_.profiles()) {
    if (offers(profile.name) && executor_->supports_language(profile.name)) {
      names.push_back(profile.name);
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<json::object> CodeTool::execute(const json::value& arguments, const ToolContext& context) {
  COVE_TRY(require_scope(context.scopes, kCodeScope));
  COVE_ASSIGN(DecodedCodeCall call, decode_code_call(arguments, catalog_, offer()));
  ExecutionRequest& request = call.request;
  if (!offers(request.language)) {
    return Err(Error(ErrorCode::UnsupportedLanguage,
                     fmt::format("unsupported language {}; there are {}", quoted(request.language),
                                 join(languages(), ", "))));
  }
  COVE_TRY(require_scope(context.scopes, code_scope(request.language)));
  request.policy = options_.policy;
  request.limits = options_.limits;
  request.identity = context.identity;
  ExecutionContext running;
  running.cancel = context.cancel;
  COVE_ASSIGN(ExecutionResult result, executor_->execute(request, running));
  result.notes.insert(result.notes.begin(), call.notes.begin(), call.notes.end());
  return encode_code_result(result, code_bounds(request, catalog_));
}

json::object CodeTool::run(const json::value& arguments, const ToolContext& context) {
  auto answer = execute(arguments, context);
  return answer ? std::move(*answer) : tool_error(answer.error());
}

}  // namespace cove
