#include "toolchain/diagnostics/diagnostic_list.h"

#include <gtest/gtest.h>

#include "toolchain/diagnostics/attach_source.h"

namespace cove {
namespace {

std::size_t bytes_of(const std::vector<DiagnosticSpan>& spans) {
  std::size_t bytes = 0;
  for (const DiagnosticSpan& span : spans) {
    bytes += span.file_name.size() + span.label.size();
    for (const DiagnosticLine& line : span.text) bytes += line.text.size();
  }
  return bytes;
}

std::size_t bytes_of(const std::vector<Diagnostic>& list) {
  std::size_t bytes = 0;
  for (const Diagnostic& diagnostic : list) {
    bytes += diagnostic.message.size() + bytes_of(diagnostic.spans);
    for (const DiagnosticNote& note : diagnostic.notes) {
      bytes += note.message.size() + bytes_of(note.spans);
    }
    for (const DiagnosticSuggestion& suggestion : diagnostic.suggestions) {
      bytes += suggestion.message.size() + suggestion.replacement.size();
    }
  }
  return bytes;
}

// As many of everything as each bound allows: what a hostile program makes its compiler print.
std::vector<Diagnostic> as_much_as_possible(std::size_t message) {
  DiagnosticList list;
  const DiagnosticSpan span{"main.c", 1, 8, 1, 1, true, "", {}};
  const std::vector<DiagnosticSpan> spans(DiagnosticList::kMostSpans, span);
  while (!list.full()) {
    Diagnostic diagnostic;
    diagnostic.level = "error";
    diagnostic.message = std::string(message, 'x');
    diagnostic.spans = spans;
    diagnostic.notes.assign(DiagnosticList::kMostNotes, {"note", std::string(message, 'y'), spans});
    diagnostic.suggestions.assign(DiagnosticList::kMostSpans,
                                  {"do", span, std::string(message, 'z')});
    list.add(std::move(diagnostic));
  }
  return list.take();
}

TEST(DiagnosticList, TextIsBoundedInAll) {
  const auto list = as_much_as_possible(DiagnosticList::kMostMessage);
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].message.size(), DiagnosticList::kMostMessage);
  EXPECT_LE(bytes_of(list), DiagnosticList::kMostBytes);
}

TEST(DiagnosticList, PlacesAndTheirLinesAreBoundedInAll) {
  auto list = as_much_as_possible(1);
  EXPECT_EQ(list.size(), DiagnosticList::kMostDiagnostics);  // each has at least its message
  const std::string line(1'000'000, 'a');
  std::string source;
  for (int i = 0; i < 8; ++i) source += line + "\n";
  const std::vector<ExecFile> files{{"main.c", source, std::nullopt}};
  attach_source(list, files, ColumnUnit::Bytes);
  EXPECT_LE(bytes_of(list), 2 * DiagnosticList::kMostBytes);
  ASSERT_EQ(list[0].spans.size(), DiagnosticList::kMostSpans);
  ASSERT_EQ(list[0].spans[0].text.size(), DiagnosticList::kMostLines);
  EXPECT_EQ(list[0].spans[0].text[0].text.size(), DiagnosticList::kMostLine);
}

}  // namespace
}  // namespace cove
