#include "net/session_cell_run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/output_directory.h"
#include "cli/stream_output.h"
#include "cli/terminal_filter.h"
#include "engine/job.h"
#include "model/names.h"
#include "net/remote_notes.h"

namespace cove {

namespace {

constexpr int kCellFailed = 1;
constexpr std::string_view kStoppedByTimeout = "stopped by the timeout";

int cell_exit_code(const CellResult& result) {
  if (ended_by_stop(result.status, result.notes)) return kExitRefused;
  return exit_code_of(result.status, kCellFailed);
}

// The form that a terminal can show, or what forms there are.
std::string shown(const RichData& data) {
  const auto plain = std::ranges::find(data, "text/plain", &RichData::value_type::first);
  if (plain != data.end()) return plain->second;
  std::string kinds;
  for (const auto& [kind, form] : data) {
    kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : ", ", kind, format_size({form.size()}));
  }
  return "<" + kinds + ">";
}

class CellOutput final : public CellSink {
 public:
  explicit CellOutput(StreamOutput& stream) : stream_(stream) {}
  void on_stdout(std::string_view bytes) override { stream_.on_stdout(bytes); }
  void on_stderr(std::string_view bytes) override { stream_.on_stderr(bytes); }
  void on_display(const RichData& data) override { stream_.on_stdout(shown(data) + "\n"); }

 private:
  StreamOutput& stream_;
};

json::object encode_rich(const RichData& data) {
  json::object out;
  for (const auto& [kind, form] : data) out[kind] = form;
  return out;
}

json::array encode_texts(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

json::object encode(const CellResult& result) {
  json::array displays;
  for (const RichData& data : result.displays) displays.push_back(encode_rich(data));
  json::object out{{"status", name_of(result.status)},
                   {"count", result.count},
                   {"stdout", result.stdout_data},
                   {"stderr", result.stderr_data},
                   {"stdout_truncated", result.stdout_truncated},
                   {"stderr_truncated", result.stderr_truncated},
                   {"displays", std::move(displays)},
                   {"duration_ms", static_cast<double>(result.duration.count()) / 1000.0},
                   {"state_lost", result.state_lost},
                   {"notes", encode_texts(result.notes)}};
  if (result.value) out["value"] = encode_rich(*result.value);
  if (result.error) {
    out["error"] = json::object{{"name", result.error->name},
                                {"value", result.error->value},
                                {"traceback", encode_texts(result.error->traceback)}};
  }
  return out;
}

std::string extension_of(std::string_view kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKnown{
      {{"image/png", "png"},
       {"image/jpeg", "jpg"},
       {"image/gif", "gif"},
       {"image/svg+xml", "svg"},
       {"text/html", "html"},
       {"text/markdown", "md"},
       {"text/latex", "tex"},
       {"application/json", "json"},
       {"application/pdf", "pdf"}}};
  const auto found =
      std::ranges::find(kKnown, kind, &std::pair<std::string_view, std::string_view>::first);
  if (found != kKnown.end()) return std::string(found->second);
  std::string out(kind);  // a type of a program's own: no slashes in a file's name
  std::ranges::replace_if(
      out, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return out;
}

// Binary forms are base64; what is not, is taken as it is.
std::string bytes_of(std::string_view kind, const std::string& form) {
  const bool binary =
      (kind.starts_with("image/") && kind != "image/svg+xml") || kind == "application/pdf";
  if (!binary) return form;
  // Some libraries break the lines of what they encode.
  std::string packed = form;
  std::erase_if(packed, [](char c) { return c == '\n' || c == '\r'; });
  auto bytes = base64_decode(packed);
  if (!bytes) return form;
  return std::move(*bytes);
}

std::string traceback_of(const CellError& error) {
  std::string out;
  for (const std::string& line : error.traceback) {
    out += line;
    if (!line.ends_with('\n')) out += '\n';
  }
  return out.empty() ? error.name + ": " + error.value + "\n" : out;
}

// Displays first, then the value, each in all its forms but plain text.
std::vector<OutputFile> rich_files(const CellResult& result) {
  std::vector<const RichData*> shown;
  shown.reserve(result.displays.size() + 1);
  for (const RichData& data : result.displays) shown.push_back(&data);
  if (result.value) shown.push_back(&*result.value);
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (const auto& [kind, form] : *shown[i]) {
      if (kind == "text/plain") continue;
      OutputFile file;
      file.name = fmt::format("cell{}-{}.{}", result.count, i + 1, extension_of(kind));
      file.content = bytes_of(kind, form);
      files.push_back(std::move(file));
    }
  }
  return files;
}

// What a terminal cannot show goes into files; without --out, those who look are told of images.
Result<> deliver_rich(const CellCommand& run, const CellResult& result) {
  const std::vector<OutputFile> files = rich_files(result);
  if (!run.out) {
    const bool image = std::ranges::any_of(
        files, [](const OutputFile& file) { return !file.name.ends_with(".html"); });
    if (image && !run.json && ::isatty(STDERR_FILENO) == 1) {
      say("it displayed more than text; --out DIR writes that");
    }
    return {};
  }
  COVE_ASSIGN(const WrittenFiles written, write_output_files(*run.out, files));
  for (const std::string& problem : written.problems) say("--out: " + problem);
  if (run.json) return {};
  for (const OutputFile& file : files) say("wrote " + escape_file_name(*run.out + "/" + file.name));
  return {};
}

void say_about(const CellResult& result) {
  const bool cut = ended_by_stop(result.status, result.notes);
  for (const std::string& note : result.notes) {
    if (note != kServerStopping) say(escape_file_name(note));
  }
  // A server's note says which timeout it was.
  const bool explained = std::ranges::any_of(
      result.notes, [](const std::string& note) { return note.starts_with(kStoppedByTimeout); });
  if (result.status == ExecutionStatus::Timeout && !explained) say(kStoppedByTimeout);
  if (result.status == ExecutionStatus::Oom) say("out of memory");
  if (cut) say("the server is stopping and has ended the cell");
  if (result.status == ExecutionStatus::Cancelled && !cut) say("interrupted");
  if (result.state_lost && result.notes.empty()) say("all variables are lost");
  if (result.stdout_truncated) say("stdout was cut");
  if (result.stderr_truncated) say("stderr was cut");
}

void show_end(const CellResult& result, StreamOutput& stream) {
  if (result.value) stream.on_stdout(shown(*result.value) + "\n");
  if (result.error) stream.on_stderr(traceback_of(*result.error));
}

}  // namespace

Result<int> run_cell(Client& client, const CellCommand& run) {
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  RemoteContext context;
  context.cancel = stop.get_token();
  if (run.json) {
    COVE_ASSIGN(const CellResult result, client.execute_cell(run.id, run.cell, context));
    if (const auto delivered = deliver_rich(run, result); !delivered) {
      say(delivered.error().message());
    }
    if (!write_fully(STDOUT_FILENO, write_json(encode(result)) + "\n")) return kExitReaderGone;
    return cell_exit_code(result);
  }
  StreamOutput stream({run.raw, ::isatty(STDERR_FILENO) == 1}, stop);
  CellOutput sink(stream);
  context.sink = &sink;
  auto result = client.execute_cell(run.id, run.cell, context);
  if (result) show_end(*result, stream);
  stream.finish();
  if (stream.reader_gone()) return kExitReaderGone;
  if (!result) return Err(std::move(result).error());
  say_about(*result);
  if (const auto delivered = deliver_rich(run, *result); !delivered) {
    say(delivered.error().message());
    return kExitRefused;
  }
  return cell_exit_code(*result);
}

}  // namespace cove
