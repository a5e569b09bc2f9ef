#pragma once
#include <cstdint>

#include "base/result.h"
#include "image/byte_source.h"
#include "image/layer_notes.h"

namespace cove {

// What an image may still use, over all its layers.
struct UnpackBudget {
  std::uint64_t bytes = 8ULL << 30U;
  std::uint64_t members = 500'000;
};

// Unpacks one layer, an uncompressed tar, into an empty directory that nobody else changes. Hostile
// archives are expected: nothing is ever made, changed or linked outside `directory`; devices and
// FIFOs are skipped and counted; set-user-id bits, owners and extended attributes are not taken
// over. Whiteouts are noted, not applied. Spends from `budget`; past it, TooLarge.
Result<LayerNotes> unpack_layer(ByteSource& tar, int directory, UnpackBudget& budget);

}  // namespace cove
