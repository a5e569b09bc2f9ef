#pragma once
#include <functional>
#include <memory>

#include "api/api_services.h"
#include "api/router.h"

namespace cove {

// /v1/sessions and what is below it. Calls that may wait run on a worker, those that need the
// session's interpreter one after the other.
void add_session_routes(Router& router, const std::shared_ptr<ApiServices>& services);

// Runs it on a worker when the calls that came before it for this session are over. A client that
// leaves earlier takes it out.
void wait_in_line(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
                  std::function<void()> run);

// POST /v1/sessions/{id}/execute: session_cell.cc.
void queue_cell(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call);

}  // namespace cove
