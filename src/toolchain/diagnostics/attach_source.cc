#include "toolchain/diagnostics/attach_source.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "toolchain/diagnostics/diagnostic_list.h"

namespace cove {
namespace {

// The lines of one file; found once, used by many spans.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text) : lines_(split(text, '\n')) {}

  // Line `number`, from 1, as much of it as is ever shown; false: there is none.
  bool find(std::uint32_t number, std::string_view& line) const {
    if (number == 0 || number > lines_.size()) return false;
    line = lines_[number - 1];
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = line.substr(0, utf8_cut(line, std::min(line.size(), DiagnosticList::kMostLine)));
    return true;
  }

 private:
  std::vector<std::string_view> lines_;
};

// The character, counted from 1, that is at `column` in another unit. What is past the end is one
// past the last character.
std::uint32_t character_column(std::string_view line, std::uint32_t column, ColumnUnit unit) {
  if (column == 0 || unit == ColumnUnit::Characters) return column;
  std::uint32_t characters = 1;
  std::uint32_t units = 1;
  for (std::size_t at = 0; at < line.size() && units < column; ++characters) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character_length(line.substr(at)), 1);
    at += bytes;
    units += unit == ColumnUnit::Bytes ? static_cast<std::uint32_t>(bytes) : (bytes == 4 ? 2 : 1);
  }
  return characters;
}

bool is_word(std::string_view character) {
  const auto c = static_cast<unsigned char>(character.front());
  return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// One past the word that starts at `column`, or one past the character if no word does.
std::uint32_t word_end(std::string_view line, std::uint32_t column) {
  std::uint32_t here = 1;
  bool in_word = false;
  for (std::size_t at = 0; at < line.size(); ++here) {
    const std::size_t bytes = std::max<std::size_t>(utf8_character_length(line.substr(at)), 1);
    const bool word = is_word(line.substr(at, bytes));
    if (here == column && !word) return column + 1;
    if (here == column) in_word = true;
    if (in_word && !word) return here;
    at += bytes;
  }
  return in_word ? here : column + 1;
}

std::uint32_t length_of(std::string_view line) {
  return character_column(line, ~0U, ColumnUnit::Bytes) - 1;
}

// `room` is what is left for lines, in bytes.
void complete(DiagnosticSpan& span, const SourceLines& source, ColumnUnit unit, std::size_t& room) {
  std::string_view first;
  if (!source.find(span.line_start, first)) return;
  std::string_view last;
  if (span.line_end < span.line_start || !source.find(span.line_end, last)) {
    span.line_end = span.line_start;
    last = first;
  }
  span.column_start = character_column(first, span.column_start, unit);
  span.column_end = character_column(last, span.column_end, unit);
  const bool one_line = span.line_start == span.line_end;
  if (span.column_end == 0 || (one_line && span.column_end < span.column_start)) {
    span.line_end = span.line_start;
    span.column_end = span.column_start == 0 ? 0 : word_end(first, span.column_start);
  }
  span.text.clear();
  for (std::uint32_t number = span.line_start; number <= span.line_end; ++number) {
    std::string_view line;
    if (span.text.size() == DiagnosticList::kMostLines || !source.find(number, line)) break;
    if (line.size() > room) break;
    room -= line.size();
    const std::uint32_t from = number == span.line_start ? span.column_start : 1;
    const std::uint32_t to = number == span.line_end ? span.column_end : length_of(line) + 1;
    span.text.push_back({std::string(line), from, to});
  }
}

// Files by name, indexed when first asked for.
class Sources {
 public:
  explicit Sources(std::span<const ExecFile> files) : files_(files) {}

  const SourceLines* find(const std::string& name) {
    if (const auto known = lines_.find(name); known != lines_.end()) return &known->second;
    const auto file = std::ranges::find(files_, name, &ExecFile::name);
    if (file == files_.end()) return nullptr;
    return &lines_.emplace(name, SourceLines(file->content)).first->second;
  }

 private:
  std::span<const ExecFile> files_;
  std::map<std::string, SourceLines> lines_;
};

// Where `word` stands in the line as a word of its own.
std::size_t find_word(std::string_view line, std::string_view word) {
  const auto is_part = [&](std::size_t at) { return is_word(line.substr(at, 1)); };
  for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(at - 1)) && (end == line.size() || !is_part(end))) return at;
  }
  return std::string_view::npos;
}

}  // namespace

void mark_word(DiagnosticSpan& span, std::string_view word) {
  if (span.text.empty() || span.column_start != 0 || word.empty()) return;
  DiagnosticLine& line = span.text.front();
  const std::size_t at = find_word(line.text, word);
  if (at == std::string_view::npos) return;
  line.highlight_start = span.column_start =
      length_of(std::string_view(line.text).substr(0, at)) + 1;
  line.highlight_end = span.column_end = span.column_start + length_of(word);
}

void attach_source(std::vector<Diagnostic>& diagnostics, std::span<const ExecFile> files,
                   ColumnUnit columns) {
  Sources sources(files);
  std::size_t room = DiagnosticList::kMostBytes;
  const auto complete_one = [&](DiagnosticSpan& span) {
    if (const SourceLines* lines = sources.find(span.file_name))
      complete(span, *lines, columns, room);
  };
  for (Diagnostic& diagnostic : diagnostics) {
    std::ranges::for_each(diagnostic.spans, complete_one);
    for (DiagnosticNote& note : diagnostic.notes) std::ranges::for_each(note.spans, complete_one);
    for (DiagnosticSuggestion& suggestion : diagnostic.suggestions) complete_one(suggestion.span);
  }
}

}  // namespace cove
