#include "net/session_cell_run.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <stop_token>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/cancel_on_signal.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/stream_output.h"
#include "cli/terminal_filter.h"
#include "model/names.h"

namespace cove {

namespace {

constexpr int kCellFailed = 1;

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

std::string traceback_of(const CellError& error) {
  std::string out;
  for (const std::string& line : error.traceback) {
    out += line;
    if (!line.ends_with('\n')) out += '\n';
  }
  return out.empty() ? error.name + ": " + error.value + "\n" : out;
}

void say_about(const CellResult& result) {
  for (const std::string& note : result.notes) say(escape_file_name(note));
  if (result.status == ExecutionStatus::Timeout) say("stopped by the timeout");
  if (result.status == ExecutionStatus::Oom) say("out of memory");
  if (result.status == ExecutionStatus::Cancelled) say("interrupted");
  if (result.state_lost) say("the session's state is lost: it goes on with a fresh interpreter");
  if (result.stdout_truncated) say("stdout was cut");
  if (result.stderr_truncated) say("stderr was cut");
}

void show_end(const CellResult& result, StreamOutput& stream) {
  if (result.value) stream.on_stdout(shown(*result.value) + "\n");
  if (result.error) stream.on_stderr(traceback_of(*result.error));
}

}  // namespace

Result<int> run_cell(Client& client, const CellRun& run) {
  std::stop_source stop;
  COVE_ASSIGN(const CancelOnSignal cancel, CancelOnSignal::install(stop));
  RemoteContext context;
  context.cancel = stop.get_token();
  if (run.json) {
    COVE_ASSIGN(const CellResult result, client.execute_cell(run.id, run.cell, context));
    if (!write_fully(STDOUT_FILENO, write_json(encode(result)) + "\n")) return kExitReaderGone;
    return exit_code_of(result.status, kCellFailed);
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
  return exit_code_of(result->status, kCellFailed);
}

}  // namespace cove
