#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "session/place.h"
#include "session/session.h"

namespace cove {

// A session's files, while its code may be changing them. Names are relative paths of plain
// components (see model/file_name.h); no link is followed at any of them, no mount crossed, and
// only regular files are read or written. NotFound where there is none.
inline constexpr std::uint64_t kMaxSessionFile = 64ULL << 20U;

Result<std::vector<SessionFile>> list_session_files(const Place& place);
Result<std::string> read_session_file(const Place& place, std::string_view name);
// Makes directories on the way, and replaces what the file held.
Result<> write_session_file(const Place& place, std::string_view name, std::string_view content);
Result<> remove_session_file(const Place& place, std::string_view name);

}  // namespace cove
