#pragma once
#include <optional>
#include <string>

#include "client/client.h"

namespace cove {

// One cell of a session, its output on our terminal.
struct CellCommand {
  std::string id;
  Cell cell;
  bool json = false;
  bool raw = false;
  std::optional<std::string> out;  // a directory for what a terminal cannot show
};

// Streams what the cell shows, then its value or its exception. Gives the exit code: 0, 1 for an
// exception, else as `cove run`.
Result<int> run_cell(Client& client, const CellCommand& run);

}  // namespace cove
