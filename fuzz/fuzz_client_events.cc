// What a server sends to the client: a stream of events, in any pieces, and the errors and results
// in it. The first byte chooses the format and the size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/write_json.h"
#include "client/client_codec.h"
#include "client/event_decoder.h"
#include "http/server_url.h"
#include "model/result_codec.h"

namespace {

using Format = cove::EventDecoder::Format;

// Every event as text; "error" at the end of a stream that was refused.
std::vector<std::string> decode(Format format, std::string_view bytes, std::size_t step) {
  cove::EventDecoder decoder(format, cove::Bytes::kib(64));
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto events = decoder.feed(bytes.substr(at, step));
    if (!events) {
      out.emplace_back("error");
      return out;
    }
    for (const auto& event : *events) {
      out.push_back(cove::write_json(event));
      static_cast<void>(cove::event_bytes(event));
      static_cast<void>(cove::decode_error(event));
      static_cast<void>(cove::decode_result(event));
      static_cast<void>(cove::decode_cell_result(event));
      static_cast<void>(cove::decode_execution(event));
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Format format = (data[0] & 1U) != 0 ? Format::Sse : Format::Ndjson;
  const std::size_t step = 1 + (data[0] >> 1U);
  auto pieces = decode(format, bytes, step);
  auto whole = decode(format, bytes, std::max<std::size_t>(bytes.size(), 1));
  // Given whole, a refusal hides the events in front of it; otherwise pieces make no difference.
  if (!pieces.empty() && pieces.back() == "error") {
    if (whole.empty() || whole.back() != "error") std::abort();
  } else if (pieces != whole) {
    std::abort();
  }
  static_cast<void>(cove::parse_server_url(bytes));
  return 0;
}
