#include "executor/code_executor.h"

namespace cove {

Error entry_is_for_compiled() {
  return Error::invalid_field("entry", "is for compiled languages: this one has only code");
}

Result<> CodeExecutor::restart() {
  COVE_TRY(stop());
  return start();
}

}  // namespace cove
