#include "net/execution_rows.h"

#include <fmt/format.h>

#include "base/parse_size.h"
#include "net/text_table.h"

namespace cove {

std::string execution_table(const std::vector<RemoteExecution>& executions) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "STATE", "LANGUAGE", "POLICY", "CALLER", "AGE", "TOOK", "RESULT"}};
  for (const RemoteExecution& each : executions) {
    std::string result = each.status.value_or("");
    if (each.exit_code) result += fmt::format(" ({})", *each.exit_code);
    if (each.error) result = std::string(error_code_name(each.error->code()));
    rows.push_back({each.id, each.state, each.language, each.policy, each.caller,
                    age_of(each.created),
                    each.duration_ms ? fmt::format("{:.1f} ms", *each.duration_ms) : "-", result});
  }
  return text_table(rows);
}

std::string session_table(const std::vector<RemoteSession>& sessions) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "STATE", "LANGUAGE", "OWNER", "CELLS", "MEMORY", "AGE", "LAST USED", "PARENT"}};
  for (const RemoteSession& each : sessions) {
    rows.push_back({each.id, each.state, each.language, each.owner, std::to_string(each.cells),
                    format_size(each.memory), age_of(each.created), age_of(each.last_used),
                    each.parent});
  }
  return text_table(rows);
}

Result<std::vector<RemoteExecution>> unfinished_executions(Client& client, ListFilter filter) {
  filter.state = "running";
  COVE_ASSIGN(RemoteExecutions running, client.list(filter));
  filter.state = "queued";
  COVE_ASSIGN(RemoteExecutions queued, client.list(filter));
  auto out = std::move(running.executions);
  for (RemoteExecution& each : queued.executions) {
    if (out.size() < filter.limit) out.push_back(std::move(each));
  }
  return out;
}

}  // namespace cove
