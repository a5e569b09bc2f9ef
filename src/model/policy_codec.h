#pragma once
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/sandbox_policy.h"

namespace cove {

// A policy as an object, the same in a request's JSON and in policies/*.toml:
//   {"name", "description", "network": "disabled" | "enabled" | "unrestricted",
//    "filesystem": "none" | "unrestricted" | {"kind": "workspace_read_only", "root": "/abs"} |
//                  {"kind": "paths", "read_only": ["/abs"], "read_write": ["/abs"]},
//    "environment": "none" | "unrestricted" | {"kind": "allow_list", "names": ["LANG"]},
//    "timeout": "30s", "limits": {…}, "working_directory": "sub/dir"}
// What is absent is as in `strict`. `path` is where the object stands, for errors.
Result<SandboxPolicy> decode_policy(const json::value& value, const std::string& path);
json::object encode_policy(const SandboxPolicy& policy);

// What a policy built by hand must satisfy too: absolute paths, names that exist, sane figures.
Result<> validate_policy_values(const SandboxPolicy& policy, const std::string& path);

}  // namespace cove
