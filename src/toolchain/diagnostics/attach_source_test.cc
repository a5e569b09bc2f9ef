#include "toolchain/diagnostics/attach_source.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

const std::vector<ExecFile> kFiles = {
    {"main.go", "package main\n\tvar é int = \"x\"\nlast 😀 name", std::nullopt}};

Diagnostic at(std::string file, std::uint32_t line, std::uint32_t column, std::uint32_t end = 0) {
  Diagnostic out;
  out.level = "error";
  out.spans = {{std::move(file), line, line, column, end, true, "", {}}};
  return out;
}

DiagnosticSpan completed(Diagnostic diagnostic, ColumnUnit unit) {
  std::vector<Diagnostic> list{std::move(diagnostic)};
  attach_source(list, kFiles, unit);
  return list[0].spans[0];
}

TEST(AttachSource, BytesAndUtf16BecomeCharacters) {
  // After "é", a byte column is one ahead.
  const auto bytes = completed(at("main.go", 2, 9), ColumnUnit::Bytes);
  EXPECT_EQ(bytes.column_start, 8U);
  EXPECT_EQ(bytes.column_end, 11U);  // "int"
  ASSERT_EQ(bytes.text.size(), 1U);
  EXPECT_EQ(bytes.text[0].text, "\tvar é int = \"x\"");
  EXPECT_EQ(bytes.text[0].highlight_start, 8U);
  const auto units = completed(at("main.go", 3, 9), ColumnUnit::Utf16);
  EXPECT_EQ(units.column_start, 8U);
  EXPECT_EQ(units.column_end, 12U);  // "name"
}

TEST(AttachSource, AnEndThatIsSaidIsKeptAndSymbolsAreOneCharacter) {
  EXPECT_EQ(completed(at("main.go", 1, 1, 3), ColumnUnit::Characters).column_end, 3U);
  EXPECT_EQ(completed(at("main.go", 2, 12), ColumnUnit::Characters).column_end, 13U);  // "="
}

TEST(AttachSource, OtherFilesAndImpossiblePlacesStay) {
  EXPECT_TRUE(completed(at("/etc/passwd", 1, 1), ColumnUnit::Bytes).text.empty());
  EXPECT_TRUE(completed(at("main.go", 99, 1), ColumnUnit::Bytes).text.empty());
  const auto far = completed(at("main.go", 1, 4'000'000'000U, 1), ColumnUnit::Bytes);
  EXPECT_EQ(far.column_start, 13U);
  EXPECT_EQ(far.column_end, 14U);
}

TEST(AttachSource, ASpanOfManyLines) {
  Diagnostic diagnostic = at("main.go", 1, 9, 4);
  diagnostic.spans[0].line_end = 3;
  const auto span = completed(diagnostic, ColumnUnit::Bytes);
  ASSERT_EQ(span.text.size(), 3U);
  EXPECT_EQ(span.text[0].highlight_start, 9U);
  EXPECT_EQ(span.text[0].highlight_end, 13U);
  EXPECT_EQ(span.text[2].highlight_end, 4U);
}

}  // namespace
}  // namespace cove
