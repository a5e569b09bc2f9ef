#pragma once
#include <string>

#include "api/http_message.h"

namespace cove {

// The client's X-Request-Id if it is sane (letters, digits, ". _ -", up to 128), else a new one.
std::string request_id_of(const HttpRequest& request);

// The client's W3C traceparent, or empty if there is none or it is malformed.
std::string traceparent_of(const HttpRequest& request);

}  // namespace cove
