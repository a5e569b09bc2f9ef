#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "executor/code_executor.h"
#include "model/limits.h"
#include "model/sandbox_policy.h"
#include "runtime/runtime_catalog.h"
#include "tool/code_call.h"
#include "tool/tool.h"

namespace cove {

struct CodeToolOptions {
  std::string language = "rust";       // of calls that name none
  std::vector<std::string> languages;  // only these, by their own names; empty: all that are usable
  std::chrono::seconds longest = kLongestCodeTimeout;  // to which timeouts are clamped
  SandboxPolicy policy;
  Limits limits;
};

// The tool code_exec: runs code in any language that its executor has, and answers in the shape of
// docs/tools.md. A CompilingExecutor around a native one has them all.
class CodeTool final : public Tool {
 public:
  CodeTool(std::shared_ptr<CodeExecutor> executor, RuntimeCatalog catalog,
           CodeToolOptions options = {});

  std::string_view name() const override;
  std::string description() const override;
  json::object parameters() const override;
  std::vector<std::string> required_scopes() const override;

  // Those that can be used, by name. Looks for their interpreters and compilers.
  std::vector<std::string> languages() const;

 private:
  json::object run(const json::value& arguments, const ToolContext& context) override;
  Result<json::object> execute(const json::value& arguments, const ToolContext& context);
  bool offers(std::string_view language) const;
  CodeOffer offer() const;

  std::shared_ptr<CodeExecutor> executor_;
  RuntimeCatalog catalog_;
  CodeToolOptions options_;
};

}  // namespace cove
