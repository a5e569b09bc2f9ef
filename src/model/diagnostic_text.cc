#include "model/diagnostic_text.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "base/strings.h"

namespace cove {
namespace {

constexpr std::size_t kMostShown = 10;
constexpr std::size_t kShortBytes = 8 << 10;
constexpr std::size_t kFullBytes = 256 << 10;
constexpr std::size_t kShortMessage = 1000;  // bytes: a template error can fill a page
constexpr std::size_t kShortNotes = 3;
constexpr std::size_t kShortFixes = 2;
constexpr std::size_t kShortParts = 8;   // of one fix
constexpr std::size_t kLineWidth = 160;  // characters of a source line

// One line of printable text: what a hostile program could use to drive a terminal is replaced.
std::string printable(std::string_view text, std::size_t most = std::string::npos) {
  std::string clean = sanitize_utf8(text.substr(0, utf8_cut(text, std::min(most, text.size()))));
  std::string out;
  out.reserve(clean.size());
  for (const char c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t' || c == '\n' || c == '\r') {
      out += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\uFFFD";
    } else {
      out += c;
    }
  }
  // C1 controls are two bytes in UTF-8; a few terminals obey them.
  for (std::size_t at = out.find('\xC2'); at != std::string::npos; at = out.find('\xC2', at + 1)) {
    if (at + 1 < out.size() && static_cast<unsigned char>(out[at + 1]) < 0xA0) {
      out.replace(at, 2, "\uFFFD");
    }
  }
  return most < text.size() ? out + " …" : out;
}

// Text of several lines. Each further one is indented, so that none looks like a diagnostic of its
// own.
std::string paragraph(std::string_view text, std::size_t most, std::size_t indent) {
  const std::string_view kept = text.substr(0, utf8_cut(text, std::min(most, text.size())));
  std::string out;
  for (const std::string_view line : split(kept, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty()) continue;
    if (out.empty()) {
      out = printable(words);
    } else {
      // What a compiler lined up below something else stays so.
      out += '\n' + std::string(indent, ' ') +
             printable(line.substr(0, line.find(words) + words.size()));
    }
  }
  return kept.size() < text.size() ? out + " …" : out;
}

// The bytes of characters [first, last) of `text`, which is UTF-8; characters count from 0.
std::string_view characters(std::string_view text, std::size_t first, std::size_t last) {
  std::size_t count = 0;
  std::size_t begin = text.size();
  std::size_t at = 0;
  for (; at < text.size(); ++count) {
    if (count == first) begin = at;
    if (count == last) break;
    at += std::max<std::size_t>(utf8_character_length(text.substr(at)), 1);
  }
  begin = std::min(begin, at);
  return text.substr(begin, at - begin);
}

std::size_t length_in_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    at += std::max<std::size_t>(utf8_character_length(text.substr(at)), 1);
  }
  return count;
}

// The source line and a caret line under it. Of a long line the part around the place is shown.
void add_source(std::string& out, const DiagnosticSpan& span, std::size_t gutter) {
  if (span.text.empty()) return;
  const DiagnosticLine& line = span.text.front();
  const std::string whole = printable(line.text);
  const std::size_t length = length_in_characters(whole);
  // The part that is meant lies behind what is kept of a very long line.
  if (line.highlight_start > length + 1) return;
  // What a compiler says about columns need not fit the line.
  const std::size_t start =
      std::min<std::size_t>(line.highlight_start > 0 ? line.highlight_start - 1 : 0, length);
  const std::size_t end =
      std::clamp<std::size_t>(line.highlight_end > 0 ? line.highlight_end - 1 : 0, start, length);
  const std::size_t from =
      start > kLineWidth / 2 && length > kLineWidth ? start - (kLineWidth / 2) : 0;
  const std::string_view shown = characters(whole, from, from + kLineWidth);
  const std::string_view before = from > 0 ? "…" : "";
  const std::string_view after = from + kLineWidth < length ? "…" : "";
  out += fmt::format("{:>{}} | {}{}{}\n", span.line_start, gutter, before, shown, after);
  if (line.highlight_start == 0) return;
  const std::size_t width = std::max<std::size_t>(std::min(end, from + kLineWidth) - start, 1);
  const std::size_t padding = start - from + (from > 0 ? 1 : 0);
  out +=
      fmt::format("{:>{}} | {}{}", "", gutter, std::string(padding, ' '), std::string(width, '^'));
  if (!span.label.empty()) out += " " + printable(span.label, kShortMessage);
  out += "\n";
}

std::string place(const DiagnosticSpan& span) {
  std::string text = printable(span.file_name, 500);
  if (span.line_start > 0) text += fmt::format(":{}", span.line_start);
  if (span.line_start > 0 && span.column_start > 0) text += fmt::format(":{}", span.column_start);
  return text;
}

const DiagnosticSpan* primary_of(const std::vector<DiagnosticSpan>& spans) {
  const auto found = std::ranges::find_if(spans, &DiagnosticSpan::is_primary);
  if (found != spans.end()) return &*found;
  return spans.empty() ? nullptr : &spans.front();
}

// None of the program's own files: those have relative names.
bool is_in_header(const DiagnosticSpan& span) {
  return span.file_name.starts_with('/');
}

std::size_t gutter_of(const DiagnosticSpan* span) {
  return span == nullptr ? 3 : std::max<std::size_t>(3, std::to_string(span->line_start).size());
}

// "delete `mut `", with what stands there where that is known.
std::string deletion(const DiagnosticSpan& span) {
  if (span.line_start != span.line_end || span.text.empty()) return "delete this";
  const DiagnosticLine& line = span.text.front();
  if (line.highlight_start == 0 || line.highlight_end <= line.highlight_start) return "delete this";
  return fmt::format(
      "delete `{}`",
      printable(characters(line.text, line.highlight_start - 1, line.highlight_end - 1), 200));
}

void add_suggestion(std::string& out, const DiagnosticSuggestion& suggestion, std::size_t gutter) {
  const std::string with = printable(suggestion.replacement, 200);
  const bool inserts = suggestion.span.line_start == suggestion.span.line_end &&
                       suggestion.span.column_start == suggestion.span.column_end;
  const std::string what = with.empty() ? deletion(suggestion.span)
                           : inserts    ? fmt::format("insert `{}`", with)
                                        : fmt::format("replace with `{}`", with);
  out += fmt::format("{:>{}} = fix: {}{}{} at {}\n", "", gutter, printable(suggestion.message, 300),
                     suggestion.message.empty() ? "" : ": ", what, place(suggestion.span));
}

// How many of the first suggestions go together: one fix in several places has one message.
std::size_t parts_of_fix(std::span<const DiagnosticSuggestion> suggestions) {
  const auto is_same_place = [](const DiagnosticSpan& a, const DiagnosticSpan& b) {
    return a.file_name == b.file_name && a.line_start == b.line_start &&
           a.column_start == b.column_start;
  };
  std::size_t count = 1;
  while (count < suggestions.size() && suggestions[count].message == suggestions[0].message &&
         // What replaces the same is another fix.
         !is_same_place(suggestions[count].span, suggestions[0].span)) {
    ++count;
  }
  return count;
}

// Short: two fixes, each with all its parts or none: some of them would make it worse.
void add_suggestions(std::string& out, const Diagnostic& diagnostic, std::size_t gutter,
                     DiagnosticStyle style) {
  const bool full = style == DiagnosticStyle::Full;
  std::span<const DiagnosticSuggestion> rest(diagnostic.suggestions);
  for (std::size_t shown = 0; !rest.empty() && shown < (full ? 100 : kShortFixes); ++shown) {
    const std::size_t parts = parts_of_fix(rest);
    if (full || parts <= kShortParts) {
      for (const DiagnosticSuggestion& part : rest.first(parts)) add_suggestion(out, part, gutter);
    }
    rest = rest.subspan(parts);
  }
}

// Other places that the compiler speaks of: where a value went that is missed here, say. Short:
// those of the program, without their lines.
void add_labels(std::string& out, const Diagnostic& diagnostic, const DiagnosticSpan* primary,
                DiagnosticStyle style) {
  const std::size_t gutter = gutter_of(primary);
  std::size_t shown = 0;
  for (const DiagnosticSpan& span : diagnostic.spans) {
    // A place without words only marks what the message speaks of.
    if (&span == primary || span.label.empty()) continue;
    if (style == DiagnosticStyle::Full) {
      out += fmt::format("{:>{}} = {}: {}\n", "", gutter, place(span),
                         printable(span.label, kFullBytes));
      add_source(out, span, gutter);
    } else if (!is_in_header(span) && shown++ < kShortNotes) {
      out += fmt::format("{:>{}} = note: {} ({})\n", "", gutter,
                         printable(span.label, kShortMessage), place(span));
    }
  }
}

// Short: a few, and of those that speak of headers one: a list of what else a library has.
std::vector<const DiagnosticNote*> notes_of(const Diagnostic& diagnostic, DiagnosticStyle style) {
  std::vector<const DiagnosticNote*> out;
  bool has_foreign = false;
  for (const DiagnosticNote& note : diagnostic.notes) {
    if (style == DiagnosticStyle::Short) {
      const DiagnosticSpan* const where = primary_of(note.spans);
      const bool is_foreign = where != nullptr && is_in_header(*where);
      if (out.size() == kShortNotes || (is_foreign && has_foreign)) continue;
      has_foreign = has_foreign || is_foreign;
    }
    out.push_back(&note);
  }
  return out;
}

std::string render_one(const Diagnostic& diagnostic, DiagnosticStyle style) {
  const bool full = style == DiagnosticStyle::Full;
  const DiagnosticSpan* const primary = primary_of(diagnostic.spans);
  const std::size_t gutter = gutter_of(primary);
  const std::size_t most = full ? kFullBytes : kShortMessage;
  std::string out;
  if (primary != nullptr && !primary->file_name.empty()) out += place(*primary) + ": ";
  out += printable(diagnostic.level, 100);
  if (diagnostic.code && !diagnostic.code->empty()) {
    out += "[" + printable(*diagnostic.code, 100) + "]";
  }
  out += ": " + paragraph(diagnostic.message, most, gutter + 1) + "\n";
  if (primary != nullptr) add_source(out, *primary, gutter);
  add_labels(out, diagnostic, primary, style);
  for (const DiagnosticNote* each : notes_of(diagnostic, style)) {
    const DiagnosticNote& note = *each;
    out += fmt::format("{:>{}} = {}: {}", "", gutter, printable(note.level, 100),
                       paragraph(note.message, most, gutter + 3));
    const DiagnosticSpan* const where = primary_of(note.spans);
    if (where != nullptr && !where->file_name.empty()) out += " (" + place(*where) + ")";
    out += "\n";
    if (full && where != nullptr) add_source(out, *where, gutter);
  }
  add_suggestions(out, diagnostic, gutter, style);
  return out;
}

std::string render_full(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::string text = render_one(diagnostic, DiagnosticStyle::Full);
    if (out.size() + text.size() > kFullBytes) {
      out += "… and more\n";
      break;
    }
    out += text;
  }
  return out;
}

std::vector<const Diagnostic*> by_first_cause(const std::vector<Diagnostic>& diagnostics) {
  using Key = std::tuple<std::string, std::string, std::string, std::uint32_t, std::uint32_t>;
  std::set<Key> seen;
  std::vector<const Diagnostic*> out;
  std::vector<const Diagnostic*> foreign;  // in a header: mostly what others led to
  std::vector<const Diagnostic*> others;
  for (const Diagnostic& diagnostic : diagnostics) {
    const DiagnosticSpan* const span = primary_of(diagnostic.spans);
    Key key{diagnostic.level, diagnostic.message, "", 0, 0};
    // A header meets one mistake of the program in several places: those say nothing new.
    const bool is_foreign = span != nullptr && is_in_header(*span);
    if (span != nullptr && span->label == kRequiredFromHere) {
      key = {diagnostic.level, "", span->file_name, span->line_start, 0};
    } else if (span != nullptr && !is_foreign) {
      key = {diagnostic.level, diagnostic.message, span->file_name, span->line_start,
             span->column_start};
    }
    if (!seen.insert(std::move(key)).second) continue;
    (!diagnostic.is_error() ? others : is_foreign ? foreign : out).push_back(&diagnostic);
  }
  out.insert(out.end(), foreign.begin(), foreign.end());
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} more {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, DiagnosticStyle style) {
  if (style == DiagnosticStyle::Full) return render_full(diagnostics);
  std::string out;
  std::size_t shown = 0;
  std::size_t errors_left = 0;
  std::size_t others_left = 0;
  for (const Diagnostic* diagnostic : by_first_cause(diagnostics)) {
    if (shown < kMostShown) {
      const std::string text = render_one(*diagnostic, style);
      // The first is shown whatever it takes: its parts are bounded.
      if (shown == 0 || out.size() + text.size() + 64 <= kShortBytes) {
        out += text;
        ++shown;
        continue;
      }
      shown = kMostShown;
    }
    ++(diagnostic->is_error() ? errors_left : others_left);
  }
  if (errors_left > 0) out += "… and " + counted(errors_left, "error") + "\n";
  if (others_left > 0) out += "… and " + counted(others_left, "warning") + "\n";
  return out;
}

}  // namespace cove
