#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// POST /execute, and /v1/executions with what is below it but the WebSocket.
void add_execution_routes(Router& router, const std::shared_ptr<ApiServices>& services);

}  // namespace cove
