#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace cove::conformance {

// What an engine's command prints, or what went wrong.
std::string ask(const std::string& engine, const std::vector<std::string>& words);

// The ids of all containers, once they have had the time to go.
std::string containers_left(const std::string& engine, std::chrono::milliseconds patience);

// All that an engine keeps: containers, images, volumes, networks. The same before and after.
std::string inventory(const std::string& engine);

}  // namespace cove::conformance
