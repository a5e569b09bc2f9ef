#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// WS /v1/executions/ws: start a program, feed it while it runs, see its output, one at a time.
void add_execution_socket(Router& router, const std::shared_ptr<ApiServices>& services);

}  // namespace cove
