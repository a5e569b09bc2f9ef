// go build and go vet: "./main.go:5:2: message", with further lines behind a tab. Columns count
// bytes.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "toolchain/diagnostics/diagnostic_format.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/output_lines.h"
#include "toolchain/diagnostics/place_package.h"

namespace cove {
namespace {

constexpr std::string_view kNotFetched =
    "nothing is fetched here: a program can import the standard library and what is among the "
    "request's files";

// Of an import that is not there. What follows are places where it might be, or commands that would
// fetch it: neither is of use here.
bool is_missing_import(std::string_view message) {
  constexpr std::array<std::string_view, 5> kWords{
      "cannot find package ", "no required module provides package ",
      "cannot find module providing package ", "missing go.sum entry",
      "module lookup disabled by GOPROXY=off"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view words) { return message.contains(words); }) ||
         (message.starts_with("package ") && message.contains(" is not in std"));
}

std::string_view without_advice(std::string_view message) {
  for (const std::string_view advice : {" in any of:", "; to add it:", ": to add it:"}) {
    if (message.ends_with(advice)) message.remove_suffix(advice.size());
  }
  return message;
}

Diagnostic package_error(std::string message) {
  Diagnostic out;
  out.level = "error";
  out.code = kPackageMain;
  out.message = std::move(message);
  return out;
}

// "NAME (FILE)" at the front.
struct PackageFile {
  std::string_view name;
  std::string_view file;
};
std::optional<PackageFile> take_package(std::string_view& text) {
  const auto open = text.find(" (");
  const auto close = text.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const PackageFile out{text.substr(0, open), text.substr(open + 2, close - open - 2)};
  text.remove_prefix(close + 1);
  return out;
}

// "found packages main (main.go) and utils (utils.go) in /code": that which is not main. The other
// may be a file of the harness.
std::optional<Diagnostic> two_packages(std::string_view line) {
  if (!take_prefix(line, "found packages ")) return std::nullopt;
  auto wrong = take_package(line);
  if (!wrong || !take_prefix(line, " and ")) return std::nullopt;
  if (wrong->name == "main") wrong = take_package(line);
  if (!wrong) return std::nullopt;
  Diagnostic out = package_error(
      fmt::format("{} is of package {}: the files of the program's directory are all `package "
                  "main`, and another package has a directory of its own",
                  wrong->file, wrong->name));
  DiagnosticSpan span;
  span.file_name = wrong->file;
  span.line_start = span.line_end = 1;
  out.spans.push_back(std::move(span));
  return out;
}

// What is said of no line.
std::optional<Diagnostic> read_unplaced(std::string_view line) {
  const bool is_of_go = take_prefix(line, "go: ");
  if (line == "-buildmode=exe requires exactly one main package") {
    return package_error("a program must be `package main`");
  }
  if (auto found = two_packages(line)) return found;
  Diagnostic out;
  out.level = "error";
  if (take_prefix(line, "runtime.main_main·f: ")) {
    out.notes.push_back({"help", "a program begins with `func main()`", {}});
  } else if (!is_of_go && !line.starts_with("package ")) {
    return std::nullopt;
  }
  out.message = line;
  return out;
}

std::optional<Diagnostic> read_diagnostic(std::string_view line) {
  const auto place = read_place(line);
  if (!place) return read_unplaced(line);
  if (place->rest == "too many errors") return std::nullopt;
  Diagnostic out;
  out.level = "error";
  DiagnosticSpan span;
  span.file_name = place->file;
  span.line_start = span.line_end = place->line;
  span.column_start = place->column;
  out.spans.push_back(std::move(span));
  out.message = place->rest;
  return out;
}

}  // namespace

std::vector<Diagnostic> parse_go_text(std::string_view output) {
  DiagnosticList list;
  OutputLines lines(output);
  bool is_advice = false;  // what is behind a tab
  for (std::string_view line; !list.full() && lines.next(line);) {
    if (take_prefix(line, "\t")) {
      if (!is_advice) list.add_note({"note", std::string(line), {}});
      continue;
    }
    is_advice = false;
    if (line.starts_with('#')) continue;  // the package that the next lines are about
    take_prefix(line, "vet: ");
    auto found = read_diagnostic(line);
    if (!found) continue;
    is_advice = is_missing_import(found->message);
    if (is_advice) {
      found->message.resize(without_advice(found->message).size());
      found->notes.push_back({"help", std::string(kNotFetched), {}});
    }
    list.add(*std::move(found));
  }
  return list.take();
}

}  // namespace cove
