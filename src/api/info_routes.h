#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// /healthz, /readyz, /metrics, /openapi.json, /v1/languages, /v1/capabilities, /v1/policies.
void add_info_routes(Router& router, const std::shared_ptr<ApiServices>& services);

}  // namespace cove
