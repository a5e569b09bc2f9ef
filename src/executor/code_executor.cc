#include "executor/code_executor.h"

namespace cove {

Result<> CodeExecutor::restart() {
  COVE_TRY(stop());
  return start();
}

}  // namespace cove
