#pragma once
#include <functional>
#include <string>
#include <vector>

#include "executor/code_executor.h"

namespace cove {

// One attack of `cove doctor --prove`, and what came of it.
struct Proof {
  std::string name;
  bool contained = false;
  std::string seen;  // what was observed, in a few words
};

// Runs small hostile programs under the default policy and judges each by what it could do; `done`
// is called after each. A program that could not be run at all counts as not contained: nothing was
// proved. Takes some seconds. Languages that this host lacks are left out.
std::vector<Proof> prove_containment(CodeExecutor& executor,
                                     const std::function<void(const Proof&)>& done);

}  // namespace cove
