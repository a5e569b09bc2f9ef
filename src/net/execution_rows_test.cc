#include "net/execution_rows.h"

#include <gtest/gtest.h>

#include "base/write_json.h"

namespace cove {
namespace {

RemoteSession busy(std::string started, std::uint64_t waiting) {
  RemoteSession out;
  out.id = "ses_1";
  out.language = "python";
  out.policy = "strict";
  out.owner = "ci";
  out.cells = 3;
  out.cell_started = std::move(started);
  out.waiting = waiting;
  return out;
}

// The second line, with one space between columns.
std::string row(const RemoteSession& session) {
  const std::string table = execution_table({}, {session});
  std::string out;
  for (const char c : table.substr(table.find('\n') + 1)) {
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  return out;
}

TEST(ExecutionRows, ACellThatRunsHasItsNumber) {
  EXPECT_EQ(row(busy("2999-01-01T00:00:00Z", 0)), "ses_1 3 running python strict ci - - \n");
  EXPECT_EQ(row(busy("2999-01-01T00:00:00Z", 2)),
            "ses_1 3 running python strict ci - - 2 more waiting\n");
}

TEST(ExecutionRows, ACellThatWaitsForAPlaceHasNone) {
  EXPECT_EQ(row(busy("", 1)), "ses_1 - queued python strict ci - - \n");
  EXPECT_EQ(row(busy("", 3)), "ses_1 - queued python strict ci - - 2 more waiting\n");
}

TEST(ExecutionRows, CellsAsObjects) {
  EXPECT_EQ(write_json(encode_cells({busy("", 1)})),
            R"([{"session":"ses_1","state":"queued","language":"python","policy":"strict",)"
            R"("caller":"ci","waiting":1}])");
  EXPECT_EQ(write_json(encode_cells({busy("2026-01-01T00:00:00Z", 0)})),
            R"([{"session":"ses_1","state":"running","language":"python","policy":"strict",)"
            R"("caller":"ci","waiting":0,"cell":3,"started":"2026-01-01T00:00:00Z"}])");
}

}  // namespace
}  // namespace cove
