#include "toolchain/diagnostics/own_place.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

constexpr std::string_view kRequested = "requested here";  // clang's words
constexpr std::string_view kRequired = "required from ";   // gcc's

bool is_foreign(const DiagnosticSpan& span) {
  return span.file_name.starts_with('/');
}

bool is_foreign_error(const Diagnostic& diagnostic) {
  const DiagnosticSpan* const primary = primary_of(diagnostic);
  return diagnostic.is_error() && primary != nullptr && is_foreign(*primary);
}

void make_primary(Diagnostic& diagnostic, DiagnosticSpan own) {
  for (DiagnosticSpan& span : diagnostic.spans) {
    if (span.is_primary && span.label.empty()) span.label = "found here";
    span.is_primary = false;
  }
  own.is_primary = true;
  own.label = kRequiredFromHere;
  if (diagnostic.spans.size() >= DiagnosticList::kMostSpans) diagnostic.spans.pop_back();
  diagnostic.spans.insert(diagnostic.spans.begin(), std::move(own));
}

// One error of gcc's text, and the place in the program that led to it.
struct Trace {
  std::string file;
  std::uint32_t line = 0;
  std::string_view message;
  OutputPlace own;
};

std::vector<Trace> read_traces(std::string_view text) {
  std::vector<Trace> traces;
  std::optional<OutputPlace> own;
  OutputLines lines(text);
  for (std::string_view line;
       traces.size() < DiagnosticList::kMostDiagnostics && lines.next(line);) {
    auto place = read_place(line);
    if (!place) continue;
    // "recursively required from" as well. The last of them is where the program comes in.
    if (place->rest.find(kRequired) < 16) {
      if (!place->file.starts_with('/')) own = place;
    } else if (take_prefix(place->rest, "error: ")) {
      if (own) traces.push_back({plain_file_name(place->file), place->line, place->rest, *own});
      own.reset();
    }
  }
  return traces;
}

}  // namespace

const DiagnosticSpan* primary_of(const Diagnostic& diagnostic) {
  const auto found = std::ranges::find_if(diagnostic.spans, &DiagnosticSpan::is_primary);
  return found == diagnostic.spans.end() ? nullptr : &*found;
}

bool has_foreign_error(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, is_foreign_error);
}

void promote_own_places(std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (!is_foreign_error(diagnostic)) continue;
    const auto note = std::ranges::find_if(diagnostic.notes, [](const DiagnosticNote& each) {
      return each.message.ends_with(kRequested) && !each.spans.empty() &&
             !is_foreign(each.spans.front());
    });
    if (note == diagnostic.notes.end()) continue;
    DiagnosticSpan own = note->spans.front();
    diagnostic.notes.erase(note);
    // The way from there to the template leads through headers only.
    std::erase_if(diagnostic.notes,
                  [](const DiagnosticNote& each) { return each.message.ends_with(kRequested); });
    make_primary(diagnostic, std::move(own));
  }
}

void add_own_places(std::vector<Diagnostic>& diagnostics, std::string_view text,
                    std::span<const ExecFile> files, ColumnUnit columns) {
  std::vector<Trace> traces = read_traces(text);
  for (Diagnostic& diagnostic : diagnostics) {
    if (!is_foreign_error(diagnostic)) continue;
    const DiagnosticSpan& primary = *primary_of(diagnostic);
    const auto trace = std::ranges::find_if(traces, [&](const Trace& each) {
      return each.file == primary.file_name && each.line == primary.line_start &&
             each.message.starts_with(diagnostic.message);
    });
    if (trace == traces.end()) continue;
    // The source is attached to this place alone: the others have theirs.
    std::vector<Diagnostic> place(1);
    DiagnosticSpan own;
    own.file_name = plain_file_name(trace->own.file);
    own.line_start = own.line_end = trace->own.line;
    own.column_start = trace->own.column;
    place.front().spans.push_back(std::move(own));
    attach_source(place, files, columns);
    make_primary(diagnostic, std::move(place.front().spans.front()));
    traces.erase(trace);
  }
}

}  // namespace cove
