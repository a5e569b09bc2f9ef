#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.h"

namespace cove {

// What a compiler's columns count.
enum class ColumnUnit : unsigned char { Characters, Bytes, Utf16 };

// How a compiler says what it found: one parser, by the name that profiles use. A compiler that
// reads hostile source prints hostile text, so a parser takes any bytes, gives at most what
// diagnostic_list.h allows, and never fails: what it does not understand is left out.
struct DiagnosticFormat {
  std::string_view name;
  std::vector<Diagnostic> (*parse)(std::string_view output);
  ColumnUnit columns = ColumnUnit::Characters;
  // What a compiler prints when it leaves without having said what it found. It is then started
  // once more with `retry`, where NAME=VALUE takes the place of the step's own, and what it prints
  // is read by `parse_retry`.
  // NOLINTBEGIN(readability-redundant-member-init): so that they may be left out
  std::string_view lost = {};
  std::span<const std::string_view> retry = {};
  // NOLINTEND(readability-redundant-member-init)
  std::vector<Diagnostic> (*parse_retry)(std::string_view output) = nullptr;
};

// Null: there is no such format.
const DiagnosticFormat* find_diagnostic_format(std::string_view name);
// "clang-text, gcc-json, …", for messages.
std::string diagnostic_format_names();

// One file each, parse_NAME.cc; C# compilers print as tsc does.
std::vector<Diagnostic> parse_clang_text(std::string_view output);
std::vector<Diagnostic> parse_gcc_json(std::string_view output);
std::vector<Diagnostic> parse_ghc_text(std::string_view output);
std::vector<Diagnostic> parse_go_text(std::string_view output);
std::vector<Diagnostic> parse_javac_text(std::string_view output);
std::vector<Diagnostic> parse_ocaml_text(std::string_view output);
std::vector<Diagnostic> parse_rustc_json(std::string_view output);
std::vector<Diagnostic> parse_tsc_text(std::string_view output);

}  // namespace cove
