// What a Docker engine sends for a program: frames of two streams, in any pieces. The first byte
// chooses the size of the pieces. However the bytes are cut, both streams must come out the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "docker/output_frames.h"

namespace {

struct Heard {
  std::string streams[2];
  bool refused = false;
  bool complete = false;
};

Heard hear(std::string_view bytes, std::size_t step) {
  Heard heard;
  cove::OutputFrames frames([&heard](cove::OutputFrames::Stream stream, std::string_view piece) {
    heard.streams[static_cast<std::size_t>(stream)] += piece;
  });
  for (std::size_t at = 0; at < bytes.size() && !heard.refused; at += step) {
    heard.refused = !frames.feed(bytes.substr(at, step));
  }
  heard.complete = frames.finish().has_value();
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Heard pieces = hear(bytes, 1U + data[0]);
  const Heard whole = hear(bytes, size);
  const bool same = pieces.refused == whole.refused && pieces.complete == whole.complete &&
                    pieces.streams[0] == whole.streams[0] && pieces.streams[1] == whole.streams[1];
  if (!same || (pieces.refused && pieces.complete)) std::abort();
  if (pieces.streams[0].size() + pieces.streams[1].size() > bytes.size()) std::abort();
  return 0;
}
