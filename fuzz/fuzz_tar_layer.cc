#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "image/layer_merge.h"
#include "image/layer_unpacker.h"
#include "image/testing/scratch_store.h"

// Whatever a layer's bytes are: an error with a reason, or a tree below its directory that merges
// into a root and can be removed. Nothing outside is touched.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cove::testing::ScratchDirectory here;
  std::filesystem::create_directory(here.inner("layer"));
  std::filesystem::create_directory(here.inner("root"));
  const auto open = [](const std::string& path) {
    return cove::UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  const cove::UniqueFd layer = open(here.inner("layer"));
  const cove::UniqueFd root = open(here.inner("root"));
  cove::MemorySource bytes(std::string(reinterpret_cast<const char*>(data), size));
  const auto plain = cove::uncompressed(bytes, 1U << 20U);
  if (!plain) return 0;
  cove::UnpackBudget budget{.bytes = 1U << 20U, .members = 200};
  const auto notes = cove::unpack_layer(**plain, layer.get(), budget);
  if (!notes && notes.error().message().empty()) std::abort();
  if (notes) {
    const auto back = cove::decode_layer_notes(cove::encode_layer_notes(*notes));
    if (!back || back->whiteouts != notes->whiteouts || back->implied != notes->implied) {
      std::abort();
    }
    if (cove::merge_layer(layer.get(), *notes, root.get()) && !cove::prepare_root(root.get())) {
      std::abort();
    }
  }
  if (!here.outside_is_untouched()) std::abort();
  return 0;
}
