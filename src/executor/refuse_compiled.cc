#include "executor/refuse_compiled.h"

#include <algorithm>

#include <fmt/format.h>

#include "executor/code_executor.h"

namespace cove {

Result<> check_entry(const LanguageProfile& profile, const ExecutionRequest& request) {
  if (request.entry.empty()) return {};
  if (!profile.check) return Err(entry_is_for_compiled());
  const bool is_file =
      request.code.empty() &&
      std::ranges::find(request.files, request.entry, &ExecFile::name) != request.files.end();
  if (!is_file && !request.entry.contains('/')) return {};
  return Err(Error::invalid_field(
      "entry", fmt::format("is what diagnostics of {} call the code: it needs code, and is a name "
                           "without a directory",
                           profile.name)));
}

Result<> refuse_compiled(const LanguageProfile& profile, const ExecutionRequest& request) {
  if (profile.compile) {
    return Err(
        Error(ErrorCode::UnsupportedLanguage,
              fmt::format("{} is compiled before it runs, which backends native and image:NAME do; "
                          "`cove image import` takes an image with its compiler",
                          profile.name)));
  }
  return check_entry(profile, request);
}

}  // namespace cove
