#pragma once
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove::sandbox {

enum class MemoryUse : unsigned char { Data, Program };

// A memory file with these bytes that nobody can change any more: what runs or is read from it
// cannot be overwritten through /proc/self/exe or a leaked descriptor.
Result<UniqueFd> sealed_memory(const char* name, std::string_view bytes, MemoryUse use);

}  // namespace cove::sandbox
