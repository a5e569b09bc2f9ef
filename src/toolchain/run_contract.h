#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/exec_file.h"

namespace cove {

// What a harness calls in a program, and which files of the harness name it.
struct RunContract {
  std::string signature;
  std::string signature_note;  // may be empty
  std::string syntax;          // as source_words() has it
  std::string entry;           // the program's own file
  // As compilers name them: a file beside the program, or the end of a path ("/harness/…").
  std::vector<std::string> callers;
};

// Whether a compiler that names this file speaks of the harness.
bool is_caller(const RunContract& contract, std::string_view file_name);
// Whether a text does: a linker has no places.
bool names_caller(const RunContract& contract, std::string_view text);

// Where a program declares something of the name `run`.
struct RunPlace {
  std::string file_name;
  std::uint32_t line = 0;  // both from 1, the column in bytes
  std::uint32_t column = 0;
  int depth = 0;  // how many braces are open: 0 is the top level
};

// The outermost declaration of `run`, in the program's file before others of its language. It goes
// by words alone, since what it looks at may not compile: good enough to point there, no more.
std::optional<RunPlace> find_run(const RunContract& contract, std::span<const ExecFile> files);

}  // namespace cove
