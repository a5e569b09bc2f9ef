#pragma once
#include <boost/json.hpp>

namespace cove {

// The one JSON library of the project, under our own name.
namespace json = boost::json;

}  // namespace cove
