#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"
#include "toolchain/diagnostics/diagnostic_list.h"

namespace cove {

// What linkers, the GNU assembler and the drivers of gcc and clang print as plain text: "undefined
// reference to `f'", "cannot find -lfoo", "fatal error: Killed signal terminated program cc1".
// Where a linker says who needs a symbol, on the lines around it, that becomes a place or a note;
// the names of temporary object files are left out.
class LinkerText {
 public:
  explicit LinkerText(DiagnosticList& list) : list_(list) {}
  // Takes the output line by line; a line that says nothing is passed over.
  void take(std::string_view line);

 private:
  bool take_context(std::string_view line);
  bool take_assembler(std::string_view line);
  void add(std::string_view place, std::string_view message);

  DiagnosticList& list_;
  std::string function_;  // the one that ld speaks of
  bool is_open_ = false;  // lines of mold or lld that begin ">>>" belong to the last error
};

// Marks the symbol in the lines of places that linkers named: those have no columns. The source has
// been attached.
void mark_symbols(std::vector<Diagnostic>& diagnostics);

// Whether a linker found the program wrong: a symbol or a library that is missing, or there twice.
bool is_linker_error(const Diagnostic& diagnostic);

}  // namespace cove
