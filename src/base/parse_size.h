#pragma once
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace cove {

// "256m", "1g", "64k", "512MiB", "1.5g", "4096". Units are powers of 1024 whatever they are called,
// as in Docker's --memory; case does not matter. The error says what is understood.
Result<Bytes> parse_size(std::string_view text);

// "512 MiB", "1.5 GiB", "17 B": for messages.
std::string format_size(Bytes size);

}  // namespace cove
