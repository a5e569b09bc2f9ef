// Hostile bytes into the HTTP reader and, what it makes of them, into the request model. Fed in two
// pieces, cut where the first byte says: what is read must not depend on how it arrived.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/http_parser.h"
#include "api/load_config.h"
#include "api/session_codec.h"
#include "api/submission_codec.h"
#include "base/strings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

struct Outcome {
  int status = 0;  // 0: more is needed
  cove::HttpRequest request;
};

Outcome read(std::string_view first, std::string_view second) {
  cove::HttpReadLimits limits;
  limits.header = cove::Bytes::kib(4);
  limits.body = cove::Bytes::kib(64);
  cove::HttpRequestParser parser(limits);
  std::string buffer;
  for (const std::string_view piece : {first, second}) {
    buffer += piece;
    std::size_t used = 0;
    do {
      used = parser.feed(buffer);
      if (used > buffer.size()) std::abort();
      buffer.erase(0, used);
    } while (used > 0 && !parser.done() && !parser.error());
  }
  if (parser.error()) return {parser.error()->status, {}};
  if (!parser.done()) return {};
  return {200, std::move(parser.request())};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cove::ServerConfig config = cove::load_config({})->config;
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = text.empty() ? 0 : data[0] % text.size();
  const Outcome whole = read(text, "");
  const Outcome pieces = read(text.substr(0, cut), text.substr(cut));
  if ((whole.status == 200) != (pieces.status == 200)) std::abort();
  if (whole.status != 200) return 0;
  if (whole.request.body != pieces.request.body) std::abort();
  if (whole.request.path.empty() || whole.request.path.front() != '/') std::abort();
  if (whole.request.body.size() > 64U << 10U) std::abort();
  const cove::RequestGuard guard(config, {});
  const auto decoded = cove::decode_sidecar_submission(whole.request.body, guard);
  if (!decoded && !cove::is_valid_utf8(decoded.error().message())) std::abort();
  if (decoded && !decoded->request.identity.empty()) std::abort();
  const auto session = cove::decode_session(whole.request.body, guard);
  if (!session && !cove::is_valid_utf8(session.error().message())) std::abort();
  if (session && session->profile.empty() && session->language.empty()) std::abort();
  return 0;
}
