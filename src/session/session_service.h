#pragma once
#include <memory>

#include "runtime/runtime_catalog.h"
#include "session/session.h"

namespace cove {

// Stateful sessions: interpreters that keep their state between cells, each in a native sandbox.
// Thread-safe; calls block. A session runs one cell at a time: a second waits its turn. An id that
// was never known is NotFound; one whose session ended is Gone, with the reason.
class SessionService {
 public:
  static Result<std::unique_ptr<SessionService>> create(RuntimeCatalog catalog,
                                                        SessionServiceOptions options = {});
  virtual ~SessionService() = default;  // ends every session

  virtual Result<SessionInfo> open(const SessionOptions& options) = 0;
  virtual Result<CellResult> execute(std::string_view id, const Cell& cell, std::stop_token cancel,
                                     CellSink* sink) = 0;
  virtual Result<> interrupt(std::string_view id) = 0;  // ends the running cell, keeps the state
  virtual Result<> reset(std::string_view id) = 0;      // a fresh interpreter; files stay
  virtual Result<> remove(std::string_view id) = 0;

  // Between cells: waits for the running one. Python only; others answer Conflict.
  virtual Result<SessionInfo> fork(std::string_view id) = 0;
  virtual Result<CheckpointInfo> checkpoint(std::string_view id, std::string name) = 0;
  virtual Result<std::vector<CheckpointInfo>> checkpoints(std::string_view id) const = 0;
  virtual Result<> rollback(std::string_view id, std::string_view checkpoint) = 0;
  virtual Result<> remove_checkpoint(std::string_view id, std::string_view checkpoint) = 0;

  virtual Result<SessionInfo> info(std::string_view id) const = 0;
  virtual std::vector<SessionInfo> list(std::string_view owner) const = 0;  // empty: all

  virtual Result<std::vector<SessionFile>> files(std::string_view id) const = 0;
  virtual Result<std::string> read_file(std::string_view id, std::string_view name) const = 0;
  virtual Result<> write_file(std::string_view id, std::string_view name,
                              std::string_view content) = 0;
  virtual Result<> remove_file(std::string_view id, std::string_view name) = 0;
};

}  // namespace cove
