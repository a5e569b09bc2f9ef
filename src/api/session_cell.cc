// POST /v1/sessions/{id}/execute: one cell, answered at its end or streamed while it runs.
#include <atomic>
#include <stop_token>
#include <utility>

#include "api/event_codec.h"
#include "api/http_status.h"
#include "api/output_feed.h"
#include "api/run_job.h"
#include "api/session_codec.h"
#include "api/session_routes.h"
#include "engine/sha256.h"
#include "model/names.h"

namespace cove {

namespace {

// What a cell shows, as events on the call's stream.
class CellFeed final : public CellSink {
 public:
  CellFeed(Call& call, EventFormat format)
      : feed_([&call, format](const json::object& event, bool must_keep) {
          return call.write(encode_event(format, event), must_keep);
        }) {}

  OutputFeed& feed() { return feed_; }
  void on_stdout(std::string_view bytes) override { feed_.output(OutputStream::Stdout, bytes); }
  void on_stderr(std::string_view bytes) override { feed_.output(OutputStream::Stderr, bytes); }
  void on_display(const RichData& data) override {
    feed_.event({{"type", "display"}, {"data", encode_rich(data)}});
  }

 private:
  OutputFeed feed_;
};

// Counts a cell for as long as it runs or waits: a stopping server gives it time.
class CountedCell {
 public:
  explicit CountedCell(std::atomic<int>& cells) : cells_(cells) { ++cells_; }
  ~CountedCell() { --cells_; }
  CountedCell(const CountedCell&) = delete;
  CountedCell& operator=(const CountedCell&) = delete;

 private:
  std::atomic<int>& cells_;
};

void record_cell(const ApiServices& services, const Call& call, const Cell& cell,
                 const Result<CellResult>& result) {
  services.metrics->add("cove_session_cells_total",
                        {{"status", result ? std::string(name_of(result->status)) : "error"}});
  json::object details{
      {"session", call.param("id")},
      {"code_sha256", sha256_hex(cell.code)},
      {"request_id", call.request_id()},
      {"status", result ? name_of(result->status) : error_code_name(result.error().code())}};
  const auto written = services.engine->audit(call.caller.name, "session.cell", std::move(details));
  if (!written) {
    services.log->write("error", "audit_failed", {{"message", written.error().message()}});
  }
}

}  // namespace

void execute_cell(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call) {
  const auto format = event_format_of(call->request());
  if (!format) return call->answer(format.error());
  const auto cell = decode_cell(call->request().body);
  if (!cell) return call->answer(cell.error());
  const std::string& id = call->param("id");

  const CountedCell counted(services->cells);
  std::stop_source stop;
  call->on_abandoned([stop]() mutable { stop.request_stop(); });
  if (*format == EventFormat::None) {
    const auto result = services->sessions->execute(id, *cell, stop.get_token(), nullptr);
    record_cell(*services, *call, *cell, result);
    if (!result) return answer_refusal(*services, *call, result.error());
    return call->answer_json(200, encode_cell_result(*result));
  }
  call->start_stream(content_type_of(*format));
  CellFeed sink(*call, *format);
  sink.feed().open({{"type", "started"}, {"session_id", id}});
  const auto result = services->sessions->execute(id, *cell, stop.get_token(), &sink);
  record_cell(*services, *call, *cell, result);
  sink.feed().close(result
                        ? json::object{{"type", "result"}, {"result", encode_cell_result(*result)}}
                        : error_event(result.error()));
  call->finish();
}

}  // namespace cove
