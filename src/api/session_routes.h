#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// /v1/sessions and what is below it. Every call of the service may wait, so each runs on a worker.
void add_session_routes(Router& router, const std::shared_ptr<ApiServices>& services);

// POST /v1/sessions/{id}/execute: session_cell.cc.
void execute_cell(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call);

}  // namespace cove
