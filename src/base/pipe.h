#pragma once
#include "base/result.h"
#include "base/unique_fd.h"

namespace cove {

// Two ends of a pipe, or of a socket pair used as one.
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Closed at exec. Both ends are above 3, so that moving one onto 0, 1 or 2 in a child never meets
// the other, even where the host process had closed its standard streams.
Result<Pipe> make_pipe();

}  // namespace cove
