#pragma once
#include "engine/history_store.h"

namespace cove {

// How a job lies in the table `executions`: the columns in this order, for inserting and selecting.
inline constexpr std::string_view kHistoryColumns =
    "seq, id, caller, language, policy, code_hash, state, created, started, finished, result, "
    "error_code, error_message, error_field, request_id, traceparent";

void bind_row(SqliteStatement& statement, const HistoryEntry& entry);
// Of the row that the statement stands on. What cannot be read back (a result of a future version,
// say) is left out.
HistoryEntry read_row(const SqliteStatement& statement);

}  // namespace cove
