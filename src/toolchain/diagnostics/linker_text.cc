#include "toolchain/diagnostics/linker_text.h"

#include <array>
#include <string>

#include "base/strings.h"

namespace cove {
namespace {

constexpr std::array<std::string_view, 8> kSaid = {"undefined reference to ",
                                                   "multiple definition of ",
                                                   "cannot find ",
                                                   "undefined symbol: ",
                                                   "duplicate symbol: ",
                                                   "final link failed: ",
                                                   "relocation ",
                                                   "unable to find library "};

// "cc: fatal error: …", "g++: internal compiler error: …", "clang: error: …": the part behind the
// driver's name.
std::string_view driver_message(std::string_view line) {
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > 64) return {};
  if (line.substr(0, colon).find_first_of(" /:") != std::string_view::npos) return {};
  const std::string_view rest = line.substr(colon + 2);
  for (const std::string_view kind : {"fatal error: ", "internal compiler error: ", "error: "}) {
    if (rest.starts_with(kind)) return rest;
  }
  return {};
}

}  // namespace

std::optional<Diagnostic> read_linker_line(std::string_view line) {
  line = trim(line);
  Diagnostic out;
  out.level = "error";
  const std::string_view message = driver_message(line);
  // These say only that what the linker said was the end.
  if (message.find("ld returned") != std::string_view::npos ||
      message.find("linker command failed") != std::string_view::npos) {
    return std::nullopt;
  }
  for (const std::string_view said : kSaid) {
    const auto at = line.find(said);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) continue;
    out.message = std::string(line.substr(at));
    return out;
  }
  if (message.empty()) return std::nullopt;
  out.message = std::string(line);
  return out;
}

}  // namespace cove
