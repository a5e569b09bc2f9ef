#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "model/diagnostic.h"

namespace cove {

// Diagnostics of one compilation, bounded whatever a compiler prints: a template error can name a
// thousand places. What is past a bound is dropped; text is cut between UTF-8 characters.
class DiagnosticList {
 public:
  static constexpr std::size_t kMostDiagnostics = 200;
  static constexpr std::size_t kMostNotes = 32;
  static constexpr std::size_t kMostSpans = 16;
  static constexpr std::size_t kMostLines = 8;  // of source in one span
  static constexpr std::size_t kMostMessage = 8 << 10;
  static constexpr std::size_t kMostLine = 2 << 10;
  // Of all together: the program decides what its compiler prints, and each place that is named
  // brings lines of the source with it.
  static constexpr std::size_t kMostBytes = 512 << 10;
  static constexpr std::size_t kMostSpansInAll = 2000;

  bool full() const { return list_.size() >= kMostDiagnostics; }
  bool empty() const { return list_.empty(); }
  void add(Diagnostic diagnostic);
  // A note to what was added last; to nothing, when there is nothing.
  void add_note(DiagnosticNote note);
  // The last one that was added, or null.
  Diagnostic* last() { return list_.empty() ? nullptr : &list_.back(); }

  // Cuts everything to its bounds and hands it out.
  std::vector<Diagnostic> take();

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace cove
