#include "net/execution_rows.h"

#include <fmt/format.h>

#include "base/parse_size.h"
#include "net/text_table.h"

namespace cove {

namespace {

// A cell that has not begun has no number yet, and no age that the server tells.
std::vector<std::string> cell_row(const RemoteSession& session) {
  const bool runs = !session.cell_started.empty();
  const std::uint64_t behind = session.waiting - (runs || session.waiting == 0 ? 0 : 1);
  return {session.id,
          runs ? std::to_string(session.cells) : "-",
          runs ? "running" : "queued",
          session.language,
          session.policy,
          session.owner,
          runs ? age_of(session.cell_started) : "-",
          "-",
          behind > 0 ? fmt::format("{} more waiting", behind) : ""};
}

}  // namespace

std::string execution_table(const std::vector<RemoteExecution>& executions,
                            const std::vector<RemoteSession>& busy) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "CELL", "STATE", "LANGUAGE", "POLICY", "CALLER", "AGE", "TOOK", "RESULT"}};
  for (const RemoteSession& session : busy) rows.push_back(cell_row(session));
  for (const RemoteExecution& each : executions) {
    std::string result = each.status.value_or("");
    if (each.exit_code) result += fmt::format(" ({})", *each.exit_code);
    if (each.error) result = std::string(error_code_name(each.error->code()));
    rows.push_back({each.id, "-", each.state, each.language, each.policy, each.caller,
                    age_of(each.created),
                    each.duration_ms ? fmt::format("{:.1f} ms", *each.duration_ms) : "-", result});
  }
  return text_table(rows);
}

std::string session_table(const std::vector<RemoteSession>& sessions) {
  std::vector<std::vector<std::string>> rows{{"ID", "STATE", "LANGUAGE", "OWNER", "CELLS",
                                              "WAITING", "MEMORY", "AGE", "LAST USED", "PARENT"}};
  for (const RemoteSession& each : sessions) {
    const std::string state =
        each.cell_started.empty() ? each.state : each.state + " " + age_of(each.cell_started);
    rows.push_back({each.id, state, each.language, each.owner, std::to_string(each.cells),
                    std::to_string(each.waiting), format_size(each.memory), age_of(each.created),
                    age_of(each.last_used), each.parent});
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

Result<std::vector<RemoteSession>> busy_sessions(Client& client, const std::string& owner) {
  auto all = client.sessions();
  if (!all && all.error().code() == ErrorCode::Forbidden) return std::vector<RemoteSession>();
  if (!all) return Err(std::move(all).error());
  std::erase_if(*all, [&owner](const RemoteSession& each) {
    return (each.cell_started.empty() && each.waiting == 0) ||
           (!owner.empty() && each.owner != owner);
  });
  return std::move(*all);
}

json::array encode_cells(const std::vector<RemoteSession>& busy) {
  json::array out;
  for (const RemoteSession& each : busy) {
    const bool runs = !each.cell_started.empty();
    json::object cell{{"session", each.id},        {"state", runs ? "running" : "queued"},
                      {"language", each.language}, {"policy", each.policy},
                      {"caller", each.owner},      {"waiting", each.waiting}};
    if (runs) {
      cell["cell"] = each.cells;
      cell["started"] = each.cell_started;
    }
    out.push_back(std::move(cell));
  }
  return out;
}

}  // namespace cove
