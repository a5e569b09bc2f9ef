#include "toolchain/diagnostics/linker_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "toolchain/diagnostics/attach_source.h"
#include "toolchain/diagnostics/output_lines.h"

namespace cove {
namespace {

constexpr std::array<std::string_view, 6> kWrong = {
    "undefined reference to ", "multiple definition of ", "cannot find ",
    "undefined symbol: ",      "duplicate symbol: ",      "unable to find library "};
constexpr std::array<std::string_view, 2> kBroken = {"final link failed: ", "relocation "};

// "cc: fatal error: …", "g++: internal compiler error: …", "clang: error: …": the part behind the
// driver's name.
std::string_view driver_message(std::string_view line) {
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0 || colon > 64) return {};
  if (line.substr(0, colon).find_first_of(" /:") != std::string_view::npos) return {};
  const std::string_view rest = line.substr(colon + 2);
  for (const std::string_view kind : {"fatal error: ", "internal compiler error: ", "error: "}) {
    if (rest.starts_with(kind)) return rest;
  }
  return {};
}

// Where one of the linkers' words begins in the line.
std::size_t find_words(std::string_view line) {
  const auto starts = [&](std::string_view words) {
    const auto at = line.find(words);
    return at == std::string_view::npos || (at > 0 && line[at - 1] != ' ') ? line.size() : at;
  };
  std::size_t first = line.size();
  for (const std::string_view words : kWrong) first = std::min(first, starts(words));
  for (const std::string_view words : kBroken) first = std::min(first, starts(words));
  return first;
}

bool is_object(std::string_view name) {
  return name.starts_with('/') && name.ends_with(".o");
}

// "a.c" of "/usr/bin/ld: /tmp/cc1.o:a.c:(.text+0x0): ", "/workspace/a.c:2" of the same with a line.
// Empty: only object files are named.
std::string_view source_of(std::string_view place) {
  place = trim(place);
  if (const auto space = place.rfind(": "); space != std::string_view::npos) {
    place.remove_prefix(space + 2);
  }
  while (place.ends_with(':')) place.remove_suffix(1);
  if (const auto section = place.find(":("); section != std::string_view::npos) {
    place = place.substr(0, section);
  }
  if (const auto object = place.find(".o:"); object != std::string_view::npos) {
    place.remove_prefix(object + 3);
  }
  take_prefix(place, "/workspace/");
  take_prefix(place, "./");
  return is_object(place) || place.find_first_of(" /(") == 0 ? std::string_view() : place;
}

// "x.cpp" of "/usr/src/x.cpp:16: ": a source that is none of the program's.
std::string_view foreign_source(std::string_view place) {
  place = trim(place.substr(0, place.find(":(")));
  while (place.ends_with(':')) place.remove_suffix(1);
  const auto slash = place.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view name = place.substr(slash + 1);
  const auto colon = name.find(':');  // without a line it may be the linker's own name
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

// A source and, where the linker knows it, a line of it.
struct LinkedPlace {
  std::string_view file;
  std::uint32_t line = 0;
};

LinkedPlace place_of(std::string_view text) {
  const std::string_view source = source_of(text);
  const auto colon = source.rfind(':');
  if (colon == std::string_view::npos) return {source};
  std::string_view number = source.substr(colon + 1);
  const auto line = take_number(number);
  if (!line || !number.empty()) return {source};
  return {source.substr(0, colon), *line};
}

// The same of lld, which may add the whole path: "a.c:2 (/workspace/a.c:2)".
LinkedPlace lld_place(std::string_view text) {
  return place_of(text.substr(0, text.find(" (")));
}

DiagnosticSpan span_of(const LinkedPlace& place) {
  DiagnosticSpan span;
  span.file_name = place.file;
  span.line_start = span.line_end = place.line;
  return span;
}

// "first defined here" with the place, or "first defined in a.c" where only the file is known.
void note_definition(Diagnostic& diagnostic, std::string_view words, const LinkedPlace& place) {
  if (place.file.empty()) return;
  if (place.line > 0) {
    diagnostic.notes.push_back({"note", fmt::format("{} here", words), {span_of(place)}});
  } else {
    diagnostic.notes.push_back({"note", fmt::format("{} in {}", words, place.file), {}});
  }
}

// "f" of "undefined reference to `ns::f(int)'" and of "undefined symbol: ns::f(int)".
std::string_view symbol_of(std::string_view message) {
  for (const std::string_view before : {"`", "symbol: "}) {
    const auto at = message.find(before);
    if (at == std::string_view::npos) continue;
    message.remove_prefix(at + before.size());
    message = message.substr(0, message.find_first_of("('<["));
    if (const auto scope = message.find_last_of(": "); scope != std::string_view::npos) {
      message.remove_prefix(scope + 1);
    }
    return message;
  }
  return {};
}

}  // namespace

void LinkerText::add(std::string_view place, std::string_view message) {
  Diagnostic out;
  out.level = "error";
  const LinkedPlace source = place_of(place);
  if (source.line > 0) out.spans.push_back(span_of(source));
  if (message.starts_with("multiple definition of ")) {
    const auto first = message.find("; ");
    const auto end = message.find(": first defined here");
    if (source.line == 0) note_definition(out, "defined", source);
    if (first != std::string_view::npos && end != std::string_view::npos && end > first) {
      note_definition(out, "first defined", place_of(message.substr(first + 2, end - first - 2)));
    }
    message = message.substr(0, first);
  } else if (std::string_view names = message; take_prefix(names, "duplicate symbol: ")) {
    // mold names both object files in front of the symbol.
    const auto last = names.rfind(".o: ");
    out.message = fmt::format("duplicate symbol: {}",
                              last == std::string_view::npos ? names : names.substr(last + 4));
  } else if (message.starts_with("undefined reference to ")) {
    const std::string_view file = source.file.empty() ? foreign_source(place) : source.file;
    if (!file.empty()) {
      out.notes.push_back({"note",
                           function_.empty()
                               ? fmt::format("referenced in {}", file)
                               : fmt::format("referenced by {} in {}", function_, file),
                           {}});
    }
  }
  if (out.message.empty()) out.message = message;
  list_.add(std::move(out));
}

// Lines that only say where: before ld's error, and behind those of mold and lld.
bool LinkerText::take_context(std::string_view line) {
  constexpr std::string_view kIn = ": in function `";
  if (const auto in = line.find(kIn); in != std::string_view::npos && line.ends_with("':")) {
    function_ = line.substr(in + kIn.size(), line.size() - in - kIn.size() - 2);
    return true;
  }
  if (!take_prefix(line, ">>>")) {
    is_open_ = false;
    return false;
  }
  Diagnostic* const last = list_.last();
  if (!is_open_ || last == nullptr) return true;
  line = trim(line);
  if (take_prefix(line, "referenced by ")) {
    const LinkedPlace place = lld_place(line);
    if (place.line > 0 && last->spans.empty()) last->spans.push_back(span_of(place));
    const std::string_view where = place.file.empty() ? line : place.file;
    list_.add_note({"note", fmt::format("referenced by {}", where), {}});
  } else if (take_prefix(line, "defined at ")) {
    const LinkedPlace place = lld_place(line);
    const bool is_first = place.line > 0 && last->spans.empty();
    if (is_first) {
      last->spans.push_back(span_of(place));
    } else if (last->notes.size() < DiagnosticList::kMostNotes) {
      note_definition(*last, "defined", place);
    }
  } else if (const auto open = line.rfind(":(");
             open != std::string_view::npos && line.ends_with(')') && !last->notes.empty()) {
    std::string_view file = last->notes.back().message;
    const std::string_view function = line.substr(open + 2, line.size() - open - 3);
    if (take_prefix(file, "referenced by ") && !file.contains(" in ")) {
      last->notes.back().message = fmt::format("referenced by {} in {}", function, file);
    }
  }
  return true;
}

// "main.c:4: Error: no such instruction: `frob'", as the GNU assembler says it.
bool LinkerText::take_assembler(std::string_view line) {
  const auto place = read_place(line);
  if (!place) return false;
  std::string_view message = place->rest;
  const bool is_error = take_prefix(message, "Error: ");
  if (!is_error && !take_prefix(message, "Warning: ")) return false;
  Diagnostic out;
  out.level = is_error ? "error" : "warning";
  out.message = message;
  out.spans = {span_of({place->file, place->line})};
  list_.add(std::move(out));
  return true;
}

void LinkerText::take(std::string_view line) {
  line = trim(line);
  if (take_context(line) || take_assembler(line)) return;
  const std::string_view message = driver_message(line);
  // These say only that what the linker said was the end.
  if (message.contains("ld returned") || message.contains("linker command failed")) return;
  if (const std::size_t words = find_words(line); words < line.size()) {
    add(line.substr(0, words), line.substr(words));
    is_open_ = true;
  } else if (!message.empty()) {
    add("", line);
  }
}

void mark_symbols(std::vector<Diagnostic>& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (!is_linker_error(diagnostic)) continue;
    const std::string_view symbol = symbol_of(diagnostic.message);
    for (DiagnosticSpan& span : diagnostic.spans) mark_word(span, symbol);
    for (DiagnosticNote& note : diagnostic.notes) {
      for (DiagnosticSpan& span : note.spans) mark_word(span, symbol);
    }
  }
}

bool is_linker_error(const Diagnostic& diagnostic) {
  return diagnostic.is_error() && std::ranges::any_of(kWrong, [&](std::string_view words) {
           return diagnostic.message.starts_with(words);
         });
}

}  // namespace cove
