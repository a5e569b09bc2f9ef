#include "model/diagnostic_codec.h"

#include <utility>

#include "base/strings.h"
#include "model/result_fields.h"

namespace cove {
namespace {

json::object encode_span(const DiagnosticSpan& span) {
  json::array lines;
  for (const DiagnosticLine& line : span.text) {
    lines.push_back(json::object{{"text", sanitize_utf8(line.text)},
                                 {"highlight_start", line.highlight_start},
                                 {"highlight_end", line.highlight_end}});
  }
  json::object out{{"file_name", sanitize_utf8(span.file_name)},
                   {"line_start", span.line_start},
                   {"line_end", span.line_end},
                   {"column_start", span.column_start},
                   {"column_end", span.column_end},
                   {"is_primary", span.is_primary}};
  if (!span.label.empty()) out["label"] = sanitize_utf8(span.label);
  out["text"] = std::move(lines);
  return out;
}

json::array encode_spans(const std::vector<DiagnosticSpan>& spans) {
  json::array out;
  for (const DiagnosticSpan& span : spans) out.push_back(encode_span(span));
  return out;
}

json::object encode_diagnostic(const Diagnostic& diagnostic) {
  json::object out{{"level", sanitize_utf8(diagnostic.level)},
                   {"message", sanitize_utf8(diagnostic.message)}};
  if (diagnostic.code) out["code"] = sanitize_utf8(*diagnostic.code);
  out["spans"] = encode_spans(diagnostic.spans);
  json::array notes;
  for (const DiagnosticNote& note : diagnostic.notes) {
    notes.push_back(json::object{{"level", sanitize_utf8(note.level)},
                                 {"message", sanitize_utf8(note.message)},
                                 {"spans", encode_spans(note.spans)}});
  }
  if (!notes.empty()) out["notes"] = std::move(notes);
  json::array suggestions;
  for (const DiagnosticSuggestion& suggestion : diagnostic.suggestions) {
    suggestions.push_back(json::object{{"message", sanitize_utf8(suggestion.message)},
                                       {"span", encode_span(suggestion.span)},
                                       {"replacement", sanitize_utf8(suggestion.replacement)}});
  }
  if (!suggestions.empty()) out["suggestions"] = std::move(suggestions);
  return out;
}

Result<DiagnosticLine> decode_line(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  DiagnosticLine out;
  COVE_TRY(fields.read("text", out.text));
  COVE_TRY(read_number(fields, "highlight_start", out.highlight_start));
  COVE_TRY(read_number(fields, "highlight_end", out.highlight_end));
  return out;
}

Result<DiagnosticSpan> decode_span(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  DiagnosticSpan out;
  COVE_TRY(fields.read("file_name", out.file_name));
  COVE_TRY(read_number(fields, "line_start", out.line_start));
  COVE_TRY(read_number(fields, "line_end", out.line_end));
  COVE_TRY(read_number(fields, "column_start", out.column_start));
  COVE_TRY(read_number(fields, "column_end", out.column_end));
  COVE_TRY(fields.read("is_primary", out.is_primary));
  COVE_TRY(fields.read("label", out.label));
  COVE_TRY(read_list(fields, "text", out.text, decode_line));
  return out;
}

Result<DiagnosticNote> decode_note(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  DiagnosticNote out;
  COVE_TRY(fields.read("level", out.level));
  COVE_TRY(fields.read("message", out.message));
  COVE_TRY(read_list(fields, "spans", out.spans, decode_span));
  return out;
}

Result<DiagnosticSuggestion> decode_suggestion(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  DiagnosticSuggestion out;
  COVE_TRY(fields.read("message", out.message));
  COVE_TRY(fields.read("replacement", out.replacement));
  if (const json::value* span = fields.find("span")) {
    COVE_ASSIGN(out.span, decode_span(*span, fields.path_of("span")));
  }
  return out;
}

Result<StepReport> decode_step(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  StepReport out;
  COVE_TRY(fields.read("name", out.name));
  COVE_TRY(read_time(fields, "duration_ms", out.duration));
  COVE_TRY(read_optional_time(fields, "cpu_ms", out.cpu));
  COVE_TRY(read_optional_bytes(fields, "peak_memory_bytes", out.peak_memory));
  return out;
}

}  // namespace

json::array encode_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  json::array out;
  for (const Diagnostic& diagnostic : diagnostics) out.push_back(encode_diagnostic(diagnostic));
  return out;
}

Result<Diagnostic> decode_diagnostic(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  Diagnostic out;
  COVE_TRY(fields.read("level", out.level));
  COVE_TRY(fields.read("message", out.message));
  COVE_TRY(fields.read("code", out.code));
  COVE_TRY(read_list(fields, "spans", out.spans, decode_span));
  COVE_TRY(read_list(fields, "notes", out.notes, decode_note));
  COVE_TRY(read_list(fields, "suggestions", out.suggestions, decode_suggestion));
  return out;
}

json::object encode_compile_report(const CompileReport& report) {
  json::array steps;
  for (const StepReport& step : report.steps) {
    json::object item{{"name", sanitize_utf8(step.name)},
                      {"duration_ms", milliseconds_of(step.duration)}};
    if (step.cpu) item["cpu_ms"] = milliseconds_of(*step.cpu);
    if (step.peak_memory) item["peak_memory_bytes"] = step.peak_memory->value;
    steps.push_back(std::move(item));
  }
  return {{"cached", report.cached},
          {"steps", std::move(steps)},
          {"output", sanitize_utf8(report.output)},
          {"output_truncated", report.output_truncated}};
}

Result<CompileReport> decode_compile_report(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  CompileReport out;
  COVE_TRY(fields.read("cached", out.cached));
  COVE_TRY(read_list(fields, "steps", out.steps, decode_step));
  COVE_TRY(fields.read("output", out.output));
  COVE_TRY(fields.read("output_truncated", out.output_truncated));
  return out;
}

}  // namespace cove
