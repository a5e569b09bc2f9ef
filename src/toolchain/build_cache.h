#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "model/diagnostic.h"
#include "model/exec_file.h"

namespace cove {

// What a build left: files for `{build}`, and what the compilers said.
struct BuildOutput {
  std::vector<ExecFile> files;
  std::vector<Diagnostic> diagnostics;  // warnings
  std::string compiler_output;
  bool failed = false;  // there is nothing to run: the diagnostics say why
};

// An entry of the cache that stays while this is held.
struct Build {
  std::string directory;  // of the files, on the host
  std::vector<Diagnostic> diagnostics;
  std::string compiler_output;
  bool failed = false;
  UniqueFd held;
};

// Builds by the hash of everything that went into them, in a directory that only Cove writes to.
//
// An entry appears whole, by a rename, or not at all, whoever crashes; two processes that build the
// same thing keep the first. A guest cannot plant one: it sees an entry read-only, and what it
// built is stored under the hash of what Cove gave it. The oldest entries go when there is too
// much; one that a run holds does not, nor what is prepared and was used within the hour.
// Thread-safe, and safe between processes.
class BuildCache {
 public:
  // In `directory`, or, when that is empty or cannot be had, in a private one that goes with this
  // object.
  static Result<std::unique_ptr<BuildCache>> open(const std::string& directory,
                                                  Bytes bound = Bytes::gib(1));
  ~BuildCache();
  BuildCache(const BuildCache&) = delete;
  BuildCache& operator=(const BuildCache&) = delete;

  // Where the files of a build, and what is prepared, lie in a cache at `directory`.
  static std::string files_of(const std::string& directory, const std::string& key);
  static std::string prepared_at(const std::string& directory, const std::string& key);

  std::optional<Build> find(const std::string& key);
  Result<Build> store(const std::string& key, const BuildOutput& output);

  // Keeps other processes from building the same for as long as it is held, and whoever else has
  // one of its own; those of a crashed process go with it.
  struct Lock {
    UniqueFd file;
    bool waited = false;  // another had it first
  };
  // Absent: cancelled, or late. Where a file system has no locks, everybody gets one.
  std::optional<Lock> lock_build(
      const std::string& key, const std::stop_token& cancel,
      const std::optional<std::chrono::steady_clock::time_point>& until) const;

  bool is_prepared(const std::string& key) const;
  // A directory that `make` fills once for a key: it gets an empty one to write to. Others who want
  // the same wait, until `cancel`.
  Result<std::string> prepare(const std::string& key,
                              const std::function<Result<>(const std::string& directory)>& make,
                              const std::stop_token& cancel);

  const std::string& directory() const { return directory_; }
  // Why the directory that was asked for is not the one; empty: it is, or none was.
  const std::string& problem() const { return problem_; }

 private:
  BuildCache(std::string directory, bool is_private, Bytes bound)
      : directory_(std::move(directory)), private_(is_private), bound_(bound) {}
  Result<std::string> make_temporary() const;
  // Lets an entry go that nobody holds, unless it is one that another put there since.
  bool remove_unheld(const std::string& path, bool only_broken);
  void evict();
  void evict_prepared();

  std::string directory_;
  std::string problem_;
  bool private_;
  Bytes bound_;
};

}  // namespace cove
