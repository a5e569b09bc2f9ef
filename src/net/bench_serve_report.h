#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "net/load_driver.h"

namespace cove {

// One row: the same load on the server and on the alternative.
struct ServeRow {
  unsigned connections = 0;
  LoadOutcome server;
  LoadOutcome alternative;
  std::uint64_t memory_after = 0;  // resident bytes of the server's process; 0: not known
};

struct ServeReport {
  std::string version;
  std::string host;
  // Warm executions through the library and over one connection: with a pause after each, so that
  // the next finds a waiting guest and an idle machine; and one right after the other.
  Samples library_at_rest;
  LoadOutcome server_at_rest;
  Samples library;
  std::vector<ServeRow> rows;

  double added_ms() const;  // by the server, at rest
};

struct ServeVerdict {
  std::string promise;
  std::string found;
  bool pass = false;
};

std::vector<ServeVerdict> judge(const ServeReport& report);
std::string as_text(const ServeReport& report);
std::string as_markdown(const ServeReport& report);

}  // namespace cove
