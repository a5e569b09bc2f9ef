#pragma once
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/limits.h"

namespace cove {

// {"memory": "256m" | bytes, "cpus": 0.5, "cpu_time_ms": …, "processes": …, "disk": …, "inodes": …,
//  "descriptors": …, "stdout_bytes": …, "stderr_bytes": …, "scope": "strongest" | "tree"}; all
// optional. `path` is where the object stands, for errors.
Result<Limits> decode_limits(const json::value& value, const std::string& path);
json::object encode_limits(const Limits& limits);

}  // namespace cove
