#include "toolchain/diagnostics/explain_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/diagnostic_list.h"
#include "toolchain/diagnostics/own_place.h"

namespace cove {
namespace {

class Explainer {
 public:
  Explainer(const RunContract& contract, std::span<const ExecFile> files)
      : contract_(contract), files_(files), own_(find_run(contract, files)) {}

  // Whether the harness is what the compiler complains about: at a place of it, by its name where
  // there are no places, or at the program's own `run` because of it.
  bool is_about_run(const Diagnostic& diagnostic) const {
    const DiagnosticSpan* const primary = primary_of(diagnostic);
    if (primary == nullptr) {
      return names_caller(contract_, diagnostic.message) ||
             std::ranges::any_of(diagnostic.notes, [&](const DiagnosticNote& note) {
               return names_caller(contract_, note.message);
             });
    }
    if (is_caller(contract_, primary->file_name)) return true;
    const bool is_at_run =
        own_ && primary->file_name == own_->file_name && primary->line_start == own_->line;
    return is_at_run && refers_to_harness(diagnostic);
  }

  // Takes what points into the harness off something else that a compiler says.
  void clean(Diagnostic& diagnostic) const {
    const auto in_harness = [&](const DiagnosticSpan& span) {
      return is_caller(contract_, span.file_name);
    };
    std::erase_if(diagnostic.spans, in_harness);
    std::erase_if(diagnostic.suggestions, [&](const DiagnosticSuggestion& suggestion) {
      return in_harness(suggestion.span);
    });
    std::erase_if(diagnostic.notes, [&](const DiagnosticNote& note) {
      return names_caller(contract_, note.message) || std::ranges::any_of(note.spans, in_harness);
    });
  }

  Diagnostic explain(const std::vector<Diagnostic>& said) const {
    Diagnostic out;
    out.level = "error";
    out.code = std::string(kRunSignature);
    out.message = message();
    if (own_) out.spans.push_back(own_span());
    if (!contract_.signature_note.empty()) {
      out.notes.push_back({"note", contract_.signature_note, {}});
    }
    for (const Diagnostic& each : said) {
      const DiagnosticSpan* const primary = primary_of(each);
      std::string words = each.message;
      if (primary != nullptr && !primary->label.empty()) words += ": " + primary->label;
      const bool is_known =
          std::ranges::find(out.notes, words, &DiagnosticNote::message) != out.notes.end();
      if (is_known || out.notes.size() == DiagnosticList::kMostNotes) continue;
      out.notes.push_back({"note", std::move(words), {}});
    }
    return out;
  }

 private:
  bool refers_to_harness(const Diagnostic& diagnostic) const {
    const auto in_harness = [&](const DiagnosticSpan& span) {
      return is_caller(contract_, span.file_name);
    };
    return std::ranges::any_of(diagnostic.spans, in_harness) ||
           std::ranges::any_of(diagnostic.notes, [&](const DiagnosticNote& note) {
             return std::ranges::any_of(note.spans, in_harness);
           });
  }

  std::string message() const {
    if (!own_) {
      return fmt::format("the program has no `run`: the harness calls `{}`", contract_.signature);
    }
    return fmt::format("the harness cannot call this `run`: it must be `{}`{}", contract_.signature,
                       own_->depth > 0 ? " at the top level" : "");
  }

  DiagnosticSpan own_span() const {
    std::vector<Diagnostic> place(1);
    DiagnosticSpan& span = place.front().spans.emplace_back();
    span.file_name = own_->file_name;
    span.line_start = span.line_end = own_->line;
    span.column_start = own_->column;
    attach_source(place, files_, ColumnUnit::Bytes);
    return std::move(place.front().spans.front());
  }

  const RunContract& contract_;
  std::span<const ExecFile> files_;
  std::optional<RunPlace> own_;
};

}  // namespace

void explain_run(std::vector<Diagnostic>& diagnostics, const RunContract& contract,
                 std::span<const ExecFile> files) {
  if (diagnostics.empty()) return;
  const Explainer explainer(contract, files);
  std::vector<Diagnostic> kept;
  std::vector<Diagnostic> errors;
  std::size_t first = 0;  // where the first of them was
  for (Diagnostic& diagnostic : diagnostics) {
    if (!explainer.is_about_run(diagnostic)) {
      explainer.clean(diagnostic);
      kept.push_back(std::move(diagnostic));
    } else if (diagnostic.is_error()) {
      if (errors.empty()) first = kept.size();
      errors.push_back(std::move(diagnostic));
    }
  }
  if (!errors.empty()) {
    kept.insert(kept.begin() + static_cast<std::ptrdiff_t>(first), explainer.explain(errors));
  }
  diagnostics = std::move(kept);
}

}  // namespace cove
