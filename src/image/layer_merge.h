#pragma once
#include "base/result.h"
#include "image/layer_notes.h"

namespace cove {

// Puts an unpacked layer on top of what is in `root`: what it hides goes, then its files come, as
// hard links (both lie in one store). A directory of the layer replaces what is no directory; one
// that is only implied by its files goes where a link of a lower layer leads.
Result<> merge_layer(int layer, const LayerNotes& notes, int root);

// Makes a merged root fit for the sandbox: takes away what a guest gets from elsewhere (/proc,
// /dev, /tmp, …), puts the sandbox's own accounts, hosts and name service settings into /etc.
Result<> prepare_root(int root);

// True for an entry of / that guests never get from an image.
bool is_reserved_root_entry(std::string_view name);

}  // namespace cove
