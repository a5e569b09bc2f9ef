#pragma once
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "model/execution_result.h"

namespace cove {

// The result as callers see it (`cove run --json`). Text that is not UTF-8 gets U+FFFD; what could
// not be determined (`exit_code`, `signal`, `output`, `display_stdout`) is absent, not null; an
// output file's `content` is base64 and there only when it was collected.
json::object encode_result(const ExecutionResult& result);
std::string encode_result_text(const ExecutionResult& result);

// For clients. Fields that a newer server may add are ignored; what is read must have the right
// type.
Result<ExecutionResult> decode_result(const json::value& value);
Result<ExecutionResult> decode_result_text(std::string_view text);

}  // namespace cove
