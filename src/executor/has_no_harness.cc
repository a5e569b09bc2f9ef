#include "executor/has_no_harness.h"

#include <fmt/format.h>

namespace cove {

Error has_no_harness(const std::string& language) {
  // Not asked of the catalog: a run of one program has read that one's profile only.
  return Error::invalid_field(
      "input", fmt::format("{} has no harness that calls run(input); bun, clang++, cpp, cpp20, "
                           "deno, go, java, javascript, python, rust and typescript have one. "
                           "Without `input` a whole program runs as it is",
                           language));
}

}  // namespace cove
