#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "base/result.h"
#include "model/execution_request.h"
#include "model/execution_result.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// The calls of the tool code_exec and their answers, apart from what runs the code: CodeTool has an
// executor, a server its queue.

inline constexpr std::string_view kCodeToolName = "code_exec";
inline constexpr std::string_view kCodeScope = "code:execute";
inline constexpr std::chrono::seconds kShortestCodeTimeout{1};
inline constexpr std::chrono::seconds kUsualCodeTimeout{30};
inline constexpr std::chrono::seconds kLongestCodeTimeout{300};

// "code:execute:rust". The language by its own name, not an alias.
std::string code_scope(std::string_view language);

// What a tool offers to a caller.
struct CodeOffer {
  std::string usual = "rust";  // of calls that name no language; empty: they must name one
  std::chrono::seconds longest = kLongestCodeTimeout;
  // The languages that can be used, by their own names. To find out takes a search for all of them:
  // asked only when they are to be told.
  std::function<std::vector<std::string>()> languages;
};

// What a call is in that names no language: the usual one; where only others are allowed, the one
// that is, or none if there are several. An empty list allows all.
std::string usual_language(std::string usual, const std::vector<std::string>& allowed);

std::string code_tool_description();
// The schema of the arguments. If the usual language cannot be used, one must be given.
json::object code_parameters(const RuntimeCatalog& catalog, const CodeOffer& offer);

struct DecodedCodeCall {
  ExecutionRequest request;
  std::vector<std::string> notes;  // what is done otherwise than asked
};

// {language?, code, input?, timeout_secs?} to a request: the language by its own name, a timeout
// from 1 s to the longest, to which others are clamped. An `input`, null too, means that the code
// provides run(input). Errors name the argument, what was wrong with it and what is allowed.
Result<DecodedCodeCall> decode_code_call(const json::value& arguments,
                                         const RuntimeCatalog& catalog, const CodeOffer& offer);

// What a run was held to, for the answer's words.
struct CodeBounds {
  std::chrono::milliseconds timeout = kUsualCodeTimeout;
  Bytes memory;
};
CodeBounds code_bounds(const ExecutionRequest& request, const RuntimeCatalog& catalog);

// The answer: status success (whatever the exit code), compile_error, timeout, memory_exceeded or
// error. See docs/tools.md.
json::object encode_code_result(const ExecutionResult& result, const CodeBounds& bounds);

}  // namespace cove
