#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/result.h"
#include "model/execution_request.h"

namespace cove {

// Past these a request is refused, by name of the field.
struct RequestSizeLimits {
  Bytes total = Bytes::mib(128);
  Bytes code = Bytes::mib(16);
  Bytes stdin_bytes = Bytes::mib(64);
  std::size_t files = 256;
  Bytes files_total = Bytes::mib(64);
  std::size_t args = 1024;
  Bytes args_total = Bytes::kib(128);
  std::size_t env = 256;
  Bytes env_total = Bytes::kib(128);
  std::size_t json_depth = 64;
  bool backend =
      false;           // whether it may have a field `backend`, which is then the caller's to read
  bool labels = true;  // whether a request may set execution_id and identity itself
};

// Turns the name in `"policy": "strict"` into a policy: policy/presets.h has one. A function, so
// that model/ need not know policy/.
using PresetResolver = std::function<Result<SandboxPolicy>(std::string_view name)>;

// Strict JSON to a request: an unknown field, a wrong type, a value too large or nested too deep is
// an InvalidRequest that names the field ("files[2].content"). `code` is required; null counts as
// absent but for `input`. A request without `policy` gets SandboxPolicy's default, strict.
Result<ExecutionRequest> decode_request(std::string_view text, const PresetResolver& presets,
                                        const RequestSizeLimits& limits = {});
Result<ExecutionRequest> decode_request_value(const json::value& value,
                                              const PresetResolver& presets,
                                              const RequestSizeLimits& limits = {});

// `timeout_ms` (a number) or `timeout` (a text with a unit), not both: of a request, of a cell. Or
// another pair of fields that is named in the same way.
Result<> read_timeout(JsonFields& fields, std::optional<std::chrono::milliseconds>& out,
                      const std::string& name = "timeout");

// The checks that a request built by hand must pass as well: sizes, file names, environment,
// figures.
Result<> validate_request_values(const ExecutionRequest& request,
                                 const RequestSizeLimits& limits = {});

}  // namespace cove
