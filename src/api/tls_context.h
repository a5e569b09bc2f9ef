#pragma once
#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "api/http_server.h"
#include "base/result.h"

namespace cove {

// A server's side of TLS 1.2 and 1.3 with this certificate. The error names the file.
Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const TlsFiles& files);

}  // namespace cove
