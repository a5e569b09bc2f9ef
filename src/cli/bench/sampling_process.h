#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// Another program that takes samples for us: for each line that it is sent it answers with one, a
// number of milliseconds. Ends when it is dropped.
class SamplingProcess {
 public:
  static Result<std::unique_ptr<SamplingProcess>> start(const std::vector<std::string>& argv);
  SamplingProcess(const SamplingProcess&) = delete;
  SamplingProcess& operator=(const SamplingProcess&) = delete;
  ~SamplingProcess();

  Result<double> sample();

 private:
  SamplingProcess(pid_t pid, UniqueFd questions, UniqueFd answers)
      : pid_(pid), questions_(std::move(questions)), answers_(std::move(answers)) {}

  pid_t pid_;
  UniqueFd questions_;
  UniqueFd answers_;  // what it complains about comes here, too
};

}  // namespace cove
