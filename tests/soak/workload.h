#pragma once
#include <cstddef>
#include <stop_token>
#include <string>

#include "executor/native/native_executor.h"

namespace cove::soak {

// The two executors that share the load.
struct Executors {
  NativeExecutor& warm;
  NativeExecutor& cold;
};

// Runs the `index`-th execution of the mix: mostly quick warm ones, now and then each unhappy kind.
// Gives what was wrong with its result; empty: nothing.
std::string run_one(std::size_t index, const Executors& executors);

}  // namespace cove::soak
