// POST /v1/sessions/{id}/execute: one cell, answered at its end or streamed while it runs.
#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "api/event_codec.h"
#include "api/http_status.h"
#include "api/output_feed.h"
#include "api/run_job.h"
#include "api/session_codec.h"
#include "api/session_guard.h"
#include "api/session_routes.h"
#include "engine/sha256.h"
#include "model/names.h"

namespace cove {

namespace {

constexpr std::size_t kReadAtOnce = 64U << 10U;

// A cell on its way: counts as one of the server's running jobs, and if events were asked for, what
// it shows goes to the call's stream. The stream begins with the cell, so that a refusal is an
// answer with a status of its own.
class CellCall final : public CellSink {
 public:
  CellCall(std::shared_ptr<ApiServices> services, std::shared_ptr<Call> call, EventFormat format,
           std::stop_token cancel)
      : services_(std::move(services)),
        call_(std::move(call)),
        format_(format),
        cancel_(std::move(cancel)),
        feed_([this](const json::object& event, bool must_keep) {
          return call_->write(encode_event(format_, event), must_keep);
        }) {}

  bool streaming() const { return streaming_; }
  void close(const json::object& last) { feed_.close(last); }

  Result<std::shared_ptr<void>> on_turn() override {
    COVE_ASSIGN(auto place, services_->engine->take_place(call_->caller, cancel_));
    if (format_ != EventFormat::None) {
      streaming_ = true;
      call_->start_stream(content_type_of(format_));
      feed_.open({{"type", "started"}, {"session_id", call_->param("id")}});
    }
    return place;
  }
  void on_stdout(std::string_view bytes) override { output(OutputStream::Stdout, bytes); }
  void on_stderr(std::string_view bytes) override { output(OutputStream::Stderr, bytes); }
  void on_display(const RichData& data) override {
    if (streaming_) feed_.event({{"type", "display"}, {"data", encode_rich(data)}});
  }

 private:
  void output(OutputStream stream, std::string_view bytes) {
    if (streaming_) feed_.output(stream, bytes);
  }

  const std::shared_ptr<ApiServices> services_;
  const std::shared_ptr<Call> call_;
  const EventFormat format_;
  const std::stop_token cancel_;
  bool streaming_ = false;
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

void execute_cell(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
                  EventFormat format, const Cell& cell) {
  const std::string& id = call->param("id");
  const auto session = services->sessions->info(id);
  if (!session) return call->answer(session.error());
  if (const auto allowed = check_cell(call->caller, *session); !allowed) {
    return call->answer(allowed.error());
  }

  std::stop_source stop;
  call->on_abandoned([stop]() mutable { stop.request_stop(); });
  CellCall running(services, call, format, stop.get_token());
  auto result = services->sessions->execute(id, cell, stop.get_token(), &running);
  if (result && result->status == ExecutionStatus::Cancelled && services->ending_cells) {
    result->notes.emplace_back(kServerStopping);
  }
  record_cell(*services, *call, cell, result);
  if (running.streaming()) {
    running.close(result ? json::object{{"type", "result"}, {"result", encode_cell_result(*result)}}
                         : error_event(result.error()));
    return call->finish();
  }
  if (!result) return answer_refusal(*services, *call, result.error());
  call->answer_json(200, encode_cell_result(*result));
}

}  // namespace

void queue_cell(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call) {
  const auto format = event_format_of(call->request());
  if (!format) return call->answer(format.error());
  const std::string& body = call->request().body;
  // What is wrong with a cell is said at once; to read a long one is work for a worker.
  auto early = body.size() <= kReadAtOnce ? std::optional(decode_cell(body)) : std::nullopt;
  if (early && !*early) return call->answer(early->error());
  const auto counted = std::make_shared<CountedCell>(services->cells);
  wait_in_line(services, call, [services, call, counted, format = *format, early] {
    const auto cell = early ? *early : decode_cell(call->request().body);
    if (!cell) return call->answer(cell.error());
    execute_cell(services, call, format, *cell);
  });
}

}  // namespace cove
