#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace cove {

// Whether colours suit this descriptor: a terminal, and NO_COLOR is not set.
bool wants_colour(int fd);

enum class Tint : unsigned char { None, Good, Bad, Quiet, Strong };

// `text` in a colour when `fd` shows colours, else as it is.
std::string tinted(std::string_view text, Tint tint, int fd);

// Cove's own words: a line on stderr with `cove: ` in front.
void say(std::string_view message);

// Writes everything; false when the reader is gone or the device fails.
bool write_fully(int fd, std::string_view bytes);

// Tells of an error as the caller asked to be told: a line on stderr or, with --json, an object
// {"error": {"code", "message", "field"?}} on stdout. Gives the exit code.
int report_error(const Error& error, bool as_json);

}  // namespace cove
