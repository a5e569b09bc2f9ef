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

// The program's text, from where it is said to come.
Result<std::string> read_program(const ProgramSource& source);

// Its language: what was said, else the interpreter in its `#!` line, else the file's extension. A
// file whose `#!` line and extension say nothing that is known is refused; without either, and for
// a program that is no file, it is python.
Result<std::string> language_of(const ProgramSource& source, std::string_view code,
                                const RuntimeCatalog& catalog);

// The language of a `#!` line ("#!/usr/bin/env -S node --x" is node), if the catalog has it.
std::optional<std::string> language_of_shebang(std::string_view code,
                                               const RuntimeCatalog& catalog);

}  // namespace cove
