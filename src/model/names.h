#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/execution_result.h"
#include "model/limits.h"
#include "model/sandbox_policy.h"

namespace cove {

// The one table of what each enumerator is called in JSON, TOML, on the command line and in
// messages.
std::string_view name_of(ExecutionStatus value);  // "success", "compile_failed", …
std::string_view name_of(Outcome value);          // "OUTCOME_OK", …
std::string_view name_of(LimitHit value);         // "memory", "pids", …
std::string_view name_of(LimitScope value);       // "strongest", "tree"
std::string_view name_of(LimitReach value);       // "none", "per_process", "per_user", "tree"
std::string_view name_of(TruncationStyle value);  // "head", "head_tail", "notice"
std::string_view name_of(NetworkPolicy value);    // "disabled", "enabled", "unrestricted"
std::string_view name_of(FilesystemPolicy::Kind value);   // "none", "workspace_read_only", …
std::string_view name_of(EnvironmentPolicy::Kind value);  // "none", "allow_list", "unrestricted"

// The enumerator of that name, and the names there are ("head, head_tail, notice") for messages.
// Defined for the enums above.
template <class E>
std::optional<E> from_name(std::string_view name);
template <class E>
std::string allowed_names();

}  // namespace cove
