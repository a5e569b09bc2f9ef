#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/exec_file.h"

namespace cove {

// The name in the clause that a Go file begins with.
struct PackageName {
  std::string name;
  std::size_t at = 0;      // in the source
  std::uint32_t line = 0;  // both from 1, the column in bytes
  std::uint32_t column = 0;
};

// Nothing: the file does not begin with one.
std::optional<PackageName> find_package(std::string_view source);

// Makes the entry and the files beside it that are of its package `package main`, on the lines
// where they say otherwise. Whether there was something to change.
bool make_package_main(std::vector<ExecFile>& files, std::string_view entry);

}  // namespace cove
