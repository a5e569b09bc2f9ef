#pragma once
#include <memory>

#include "api/api_services.h"
#include "api/http_handler.h"

namespace cove {

// Everything that the server answers: finds the route, checks the key and its scope, and hands
// over.
std::shared_ptr<HttpHandler> make_api_handler(std::shared_ptr<ApiServices> services);

}  // namespace cove
