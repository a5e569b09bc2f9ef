// What a session's interpreter sends to Cove: bytes to frames, frames to messages. All of it is
// foreign. However the bytes are cut into pieces, the frames must be the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "session/control_channel.h"
#include "session/runner_message.h"

namespace {

struct Seen {
  std::vector<std::string> frames;
  bool broken = false;
};

Seen read_in_pieces(std::string_view bytes, std::size_t piece) {
  cove::FrameReader reader;
  Seen seen;
  while (!bytes.empty()) {
    const auto now = bytes.substr(0, piece);
    bytes.remove_prefix(now.size());
    if (!reader.feed(now)) break;
    while (auto frame = reader.next()) seen.frames.push_back(std::move(*frame));
  }
  seen.broken = reader.broken();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Seen whole = read_in_pieces(bytes, bytes.size() + 1);
  const Seen cut = read_in_pieces(bytes, 1);
  if (whole.frames != cut.frames || whole.broken != cut.broken) std::abort();
  for (const auto& frame : whole.frames) {
    if (frame.size() > cove::FrameReader::kMaxFrame) std::abort();
    static_cast<void>(cove::parse_runner_message(frame));
  }
  static_cast<void>(cove::parse_runner_message(bytes));
  return 0;
}
