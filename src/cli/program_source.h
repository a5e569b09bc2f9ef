#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/runtime_catalog.h"

namespace cove {

// Where a program comes from, as the command line says it.
struct ProgramSource {
  std::optional<std::string> file;  // a path, or "-"
  std::optional<std::string> code;
  std::optional<std::string> language;
};

struct Program {
  std::string code;
  std::string language;
};

// Reads the program and decides its language: what was said, else the file's extension, else the
// interpreter in its `#!` line, else python.
Result<Program> load_program(const ProgramSource& source, const RuntimeCatalog& catalog);

// The language of a `#!` line ("#!/usr/bin/env -S node --x" is node), if the catalog has it.
std::optional<std::string> language_of_shebang(std::string_view code,
                                               const RuntimeCatalog& catalog);

}  // namespace cove
