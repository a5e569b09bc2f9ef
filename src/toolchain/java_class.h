#pragma once
#include <string>
#include <string_view>

namespace cove {

struct JavaClass {
  std::string main_class;  // to start, with its package: "a.b.Main"
  std::string file_stem;   // the name that javac wants for the file
};

// Finds the class to start in a Java source: the first top-level type with a method main, else with
// a static one run, which a harness calls, else the public one, else the first. Comments and
// strings are understood; a source that makes no sense gives "Main".
JavaClass find_java_class(std::string_view source);

}  // namespace cove
