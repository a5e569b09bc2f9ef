#pragma once
#include <chrono>
#include <functional>
#include <string_view>

#include "base/unique_fd.h"

namespace cove {

// The non-blocking ends of a program's pipes, one step of a poll() loop at a time.

// Writes what fits and takes it off `data`; closes the descriptor when all is written or nobody
// reads. A program that closes its stdin early raises no SIGPIPE here.
void feed_pipe(UniqueFd& fd, std::string_view& data);

// Reads what there is; closes the descriptor at its end. Bounded, so that a flood on one stream
// does not keep the other, or the deadline, from its turn.
void drain_pipe(UniqueFd& fd, const std::function<void(std::string_view)>& take);

// Milliseconds for poll() until then: never negative, never more than a minute.
int poll_timeout(std::chrono::steady_clock::time_point until);

}  // namespace cove
