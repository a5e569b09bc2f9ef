#include "toolchain/diagnostics/diagnostic_format.h"

#include <algorithm>
#include <array>

namespace cove {
namespace {

// gcc collects its JSON until the end, and with -fmax-errors leaves before that: text it prints at
// once. Without a bound of errors a program of many would keep it busy for minutes, since it looks
// for a similar name for each that it does not know.
constexpr std::array<std::string_view, 3> kGccText{
    "-fdiagnostics-format=text", "-fno-diagnostics-show-caret", "-fdiagnostics-parseable-fixits"};

constexpr std::array kFormats{
    DiagnosticFormat{"clang-text", parse_clang_text, ColumnUnit::Bytes},
    DiagnosticFormat{"csc-text", parse_tsc_text, ColumnUnit::Utf16},
    DiagnosticFormat{"gcc-json", parse_gcc_json, ColumnUnit::Bytes,
                     "compilation terminated due to -fmax-errors=", kGccText, parse_clang_text},
    DiagnosticFormat{"ghc-text", parse_ghc_text, ColumnUnit::Characters},
    DiagnosticFormat{"go-text", parse_go_text, ColumnUnit::Bytes},
    DiagnosticFormat{"javac-text", parse_javac_text, ColumnUnit::Utf16},
    DiagnosticFormat{"ocaml-text", parse_ocaml_text, ColumnUnit::Bytes},
    DiagnosticFormat{"rustc-json", parse_rustc_json, ColumnUnit::Characters},
    DiagnosticFormat{"tsc-text", parse_tsc_text, ColumnUnit::Utf16},
};

}  // namespace

const DiagnosticFormat* find_diagnostic_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &DiagnosticFormat::name);
  return found == kFormats.end() ? nullptr : found;
}

std::string diagnostic_format_names() {
  std::string names;
  for (const DiagnosticFormat& format : kFormats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

}  // namespace cove
