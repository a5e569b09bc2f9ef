#include "executor/refuse_compiled.h"

#include <fmt/format.h>

#include "executor/code_executor.h"

namespace cove {

Result<> refuse_compiled(const LanguageProfile& profile, const ExecutionRequest& request) {
  if (profile.compile) {
    return Err(
        Error(ErrorCode::UnsupportedLanguage,
              fmt::format("{} is compiled before it runs, which backends native and image:NAME do; "
                          "`cove image import` takes an image with its compiler",
                          profile.name)));
  }
  if (!request.entry.empty()) return Err(entry_is_for_compiled());
  return {};
}

}  // namespace cove
