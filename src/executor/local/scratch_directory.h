#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/exec_file.h"

namespace cove {

// A private temporary directory of one run: `work/`, where the program starts, and `program/`,
// where it lies. Removed with everything in it, whatever modes the program gave it.
class ScratchDirectory {
 public:
  static Result<ScratchDirectory> create(const std::string& prefix = "cove-local-");
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  int work_fd() const { return work_.get(); }
  std::string work_path() const { return path_ + "/work"; }
  std::string program_path() const { return path_ + "/program"; }
  // Writes the program and returns its absolute path.
  Result<std::string> write_program(const std::string& file_name, std::string_view code);
  // Names must have passed validate_file_names().
  Result<> write_files(std::span<const ExecFile> files);

 private:
  ScratchDirectory() = default;

  std::string path_;
  UniqueFd work_;
};

}  // namespace cove
