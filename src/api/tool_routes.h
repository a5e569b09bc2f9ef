#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// GET /v1/tools, and POST /v1/tools/code_exec, which runs as every other execution does: in the
// fair queue, within the key's limits, kept in history and audit log.
//
// The scopes of the tool follow from the key: its scope `execute` is code:execute, each of its
// languages code:execute:LANGUAGE; a key without a list of languages has them all.
void add_tool_routes(Router& router, const std::shared_ptr<ApiServices>& services);

}  // namespace cove
