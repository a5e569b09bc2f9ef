#include "api/tls_context.h"

#include <openssl/ssl.h>

namespace cove {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<ssl::context>> make_tls_context(const TlsFiles& files) {
  if (files.certificate.empty() || files.key.empty()) {
    return Err(Error::invalid_field(files.certificate.empty() ? "tls_certificate" : "tls_key",
                                    "must be given too: TLS needs a certificate and its key"));
  }
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_compression);
  ::SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  // Without tickets and renegotiation a connection has nothing that outlives it.
  ::SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  boost::system::error_code error;
  context->use_certificate_chain_file(files.certificate, error);
  if (error) {
    return Err(Error::invalid_field(
        "tls_certificate", "cannot be used: " + files.certificate + ": " + error.message()));
  }
  context->use_private_key_file(files.key, ssl::context::pem, error);
  if (error) {
    return Err(
        Error::invalid_field("tls_key", "cannot be used: " + files.key + ": " + error.message()));
  }
  if (::SSL_CTX_check_private_key(context->native_handle()) != 1) {
    return Err(Error::invalid_field("tls_key", "does not belong to the certificate"));
  }
  return context;
}

}  // namespace cove
