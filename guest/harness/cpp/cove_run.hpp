// What is there before the first line of a harnessed C++ program.
#ifndef COVE_RUN_HPP
#define COVE_RUN_HPP
#include "cove_json.hpp"

// By its short name, too. A program may say so itself, in either way.
using cove::json;

// Declared, so that a run that gives something else is an error: to a linker it would be the same.
cove::json run(const cove::json& input);

#endif
