#include "model/result_fields.h"

#include <cmath>
#include <limits>
#include <optional>

namespace cove {

double milliseconds_of(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000.0;
}

Result<> read_time(JsonFields& fields, std::string_view name, std::chrono::microseconds& out) {
  std::optional<double> milliseconds;
  COVE_TRY(fields.read(name, milliseconds));
  if (!milliseconds) return {};
  if (!(*milliseconds >= 0 && *milliseconds < 1e15)) return fields.error(name, "is out of range");
  out = std::chrono::microseconds(std::llround(*milliseconds * 1000.0));
  return {};
}

Result<> read_optional_time(JsonFields& fields, std::string_view name,
                            std::optional<std::chrono::microseconds>& out) {
  if (fields.find(name) == nullptr) return {};
  return read_time(fields, name, out.emplace());
}

Result<> read_optional_bytes(JsonFields& fields, std::string_view name, std::optional<Bytes>& out) {
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (!number) return {};
  if (*number < 0) return fields.error(name, "must not be negative");
  out = Bytes{static_cast<std::uint64_t>(*number)};
  return {};
}

Result<> read_number(JsonFields& fields, std::string_view name, std::uint32_t& out) {
  std::optional<std::int64_t> number;
  COVE_TRY(fields.read(name, number));
  if (!number) return {};
  if (*number < 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return fields.error(name, "is out of range");
  }
  out = static_cast<std::uint32_t>(*number);
  return {};
}

}  // namespace cove
