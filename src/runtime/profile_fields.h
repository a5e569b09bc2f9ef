#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/result.h"
#include "base/strings.h"

namespace cove {

// Reading the keys of a profile. A key that is absent leaves its target as it was.

using Strings = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMaxProfileEntries = 256;
inline constexpr std::string_view kCommandForm = "a command's name or an absolute path";

// Letters, digits and `punctuation`, at most `max` of them, at least one.
bool is_word(std::string_view text, std::size_t max, std::string_view punctuation);
// "/opt/x": not relative, and without parts that could lead elsewhere than it reads.
bool is_plain_absolute_path(std::string_view path);
bool is_command(std::string_view text);

Result<> read_text(JsonFields& fields, std::string_view name, std::string& out);
Result<> read_strings(JsonFields& fields, std::string_view name, Strings& out);
Result<> read_strings(JsonFields& fields, std::string_view name, std::optional<Strings>& out);
// The arguments of a run, which are of no use without `{program}`.
Result<> read_program_args(JsonFields& fields, std::string_view name, Strings& out);
Result<> read_program_args(JsonFields& fields, std::string_view name, std::optional<Strings>& out);
Result<> read_variables(JsonFields& fields, std::string_view name, Variables& out);

template <class Check>
Result<> check_each(const JsonFields& fields, std::string_view name, const Strings& values,
                    Check is_allowed, std::string_view allowed) {
  for (const std::string& value : values) {
    if (!is_allowed(value)) {
      return fields.error(name, fmt::format("{} is not {}", quoted(value), allowed));
    }
  }
  return {};
}

}  // namespace cove
