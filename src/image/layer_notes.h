#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// What a layer says besides its files: kept beside its unpacked tree. Paths are clean ones.
struct LayerNotes {
  std::set<std::string> whiteouts;  // removes what lower layers have there
  std::set<std::string> opaque;     // directories that hide all that lower layers have in them
  std::set<std::string> implied;    // directories that no member names: a lower layer's link stays
  std::uint64_t bytes = 0;
  std::uint64_t members = 0;
  std::uint64_t skipped = 0;   // devices, FIFOs: never made
  std::uint64_t stripped = 0;  // set-user-id and set-group-id bits taken away
};

std::string encode_layer_notes(const LayerNotes& notes);
Result<LayerNotes> decode_layer_notes(std::string_view text);

}  // namespace cove
