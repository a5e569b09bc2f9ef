#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace cove {

struct KeptFilesOptions {
  std::string directory;  // made if need be, 0700; empty: in memory
  std::chrono::seconds age{3600};
  Bytes bytes = Bytes::mib(256);  // over all; the oldest go first
};

// Contents of output files of past executions, for a while. A file is known by its execution's id
// and its number there: nothing that a guest chose ends up in a path. Thread-safe.
class KeptFiles {
 public:
  using Clock = std::chrono::system_clock;

  // Takes over what a predecessor left in the directory, as far as it is not too old, and removes
  // its half-written files.
  static Result<std::unique_ptr<KeptFiles>> open(KeptFilesOptions options, Clock::time_point now);

  // Failing (a full disk) means that the file is not kept; read() then says so.
  Result<> keep(std::string_view id, std::size_t number, std::string_view content,
                Clock::time_point now);
  // Gone: it is not kept any more, or was never.
  Result<std::string> read(std::string_view id, std::size_t number, Clock::time_point now);
  void expire(Clock::time_point now);
  Bytes used() const;

 private:
  struct Item {
    std::string name;  // ID.NUMBER
    Clock::time_point since;
    std::uint64_t size = 0;
  };

  explicit KeptFiles(KeptFilesOptions options) : options_(std::move(options)) {}
  Result<> store(const std::string& name, std::string_view content);
  Result<> take_over(Clock::time_point now);
  void expire_locked(Clock::time_point now, std::uint64_t room);
  void remove_locked(const Item& item);
  std::string path_of(const std::string& name) const { return options_.directory + "/" + name; }

  const KeptFilesOptions options_;
  mutable std::mutex mutex_;
  std::deque<Item> items_;  // oldest first
  std::uint64_t used_ = 0;
  std::map<std::string, std::string> memory_;  // without a directory
};

}  // namespace cove
