#pragma once
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace cove {

// On whose behalf a tool is called.
struct ToolContext {
  // What was granted to the caller: "code:execute", "code:execute:rust". One that ends in ":*"
  // stands for all that begin so.
  std::vector<std::string> scopes;
  std::stop_token cancel;
  std::string identity;  // who asks, for logs
};

// What a language model may call by name, with arguments in JSON. Thread-safe.
class Tool {
 public:
  virtual ~Tool() = default;
  virtual std::string_view name() const = 0;
  // For the model: what it does, and how to use it.
  virtual std::string description() const = 0;
  // The JSON schema of the arguments, an object.
  virtual json::object parameters() const = 0;
  // What a caller must be granted. A word in angle brackets stands for the argument of that name:
  // "code:execute:<language>".
  virtual std::vector<std::string> required_scopes() const = 0;

  // Answers with an object that has a "status". Never throws: whatever goes wrong is an answer with
  // the status "error", so that a model can read it and do better.
  json::object call(const json::value& arguments, const ToolContext& context);

 private:
  virtual json::object run(const json::value& arguments, const ToolContext& context) = 0;
};

// A tool as lists show it: name, description, parameters, required_scopes.
json::object describe_tool(const Tool& tool);

// How an error about an argument that is not there begins; the argument's name follows in quotes.
inline constexpr std::string_view kMissingField = "missing required field ";

// {"status": "error", "stderr", "error": {"code", "message", "field"?}}
json::object tool_error(const Error& error);

// Forbidden, with the name of the scope, unless it was granted.
Result<> require_scope(const std::vector<std::string>& granted, std::string_view needed);

}  // namespace cove
