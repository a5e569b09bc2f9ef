#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "engine/engine.h"

namespace cove {

// Requests without a valid key, for the audit log. Anybody can send them and the log is never cut,
// so there is at most one entry in ten seconds; it says how many there were. Thread-safe.
class RefusalAudit {
 public:
  explicit RefusalAudit(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  ~RefusalAudit();  // writes what was not written yet
  RefusalAudit(const RefusalAudit&) = delete;
  RefusalAudit& operator=(const RefusalAudit&) = delete;

  void add(const std::string& peer, const std::string& request_id);

 private:
  void write_locked();

  const std::shared_ptr<Engine> engine_;
  std::mutex mutex_;
  std::uint64_t count_ = 0;  // since the last entry
  std::string peer_;         // of the latest
  std::string request_id_;
  std::chrono::steady_clock::time_point not_before_;
};

}  // namespace cove
