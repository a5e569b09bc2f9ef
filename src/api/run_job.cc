#include "api/run_job.h"

#include <utility>

#include "api/http_status.h"
#include "api/job_codec.h"
#include "api/streaming_watcher.h"

namespace cove {

namespace {

constexpr std::size_t kInlineBody = 256U << 10U;

void cancel_when_abandoned(const std::shared_ptr<ApiServices>& services,
                           const std::shared_ptr<Call>& call, const std::string& id) {
  call->note("execution_id", id);
  std::weak_ptr<Call> weak = call;
  call->on_abandoned([engine = services->engine, id, weak] {
    if (const auto alive = weak.lock()) alive->note("client", "gone");
    (void)engine->cancel(id);  // not found: it is over
  });
}

// Brings the contents of output files back into the result: the engine keeps them apart.
std::shared_ptr<const ExecutionResult> with_files(const Engine& engine, const JobRecord& record) {
  auto result = std::make_shared<ExecutionResult>(*record.result);
  for (OutputFile& file : result->output_files) {
    if (file.content) continue;
    if (auto kept = engine.file(record.id, file.name)) file.content = std::move(kept->content);
  }
  return result;
}

class AnsweringWatcher final : public JobWatcher {
 public:
  AnsweringWatcher(std::shared_ptr<ApiServices> services, std::shared_ptr<Call> call,
                   JobAnswer answer, bool wants_files)
      : services_(std::move(services)),
        call_(std::move(call)),
        answer_(std::move(answer)),
        wants_files_(wants_files) {}

  void on_output(OutputStream /*stream*/, std::string_view /*bytes*/) override {}
  void on_end(const JobRecord& record) override {
    const auto call = std::exchange(call_, nullptr);
    if (!wants_files_ || !record.result || record.result->output_files.empty()) {
      call->answer(answer_(record));
      return;
    }
    // The engine must not be called from here.
    const bool taken = services_->workers->run(
        [services = services_, call, record = JobRecord(record), answer = answer_]() mutable {
          record.result = with_files(*services->engine, record);
          call->answer(answer(record));
        });
    if (!taken) call->answer(answer_(record));
  }

 private:
  std::shared_ptr<ApiServices> services_;
  std::shared_ptr<Call> call_;
  JobAnswer answer_;
  bool wants_files_;
};

class SilentWatcher final : public JobWatcher {
 public:
  void on_output(OutputStream /*stream*/, std::string_view /*bytes*/) override {}
  void on_end(const JobRecord& /*record*/) override {}
};

}  // namespace

Submission make_submission(DecodedSubmission decoded, const Caller& caller, const Call& call) {
  Submission out;
  out.request = std::move(decoded.request);
  out.request.identity = caller.name;
  out.backend = std::move(decoded.backend);
  out.policy_name = std::move(decoded.policy_name);
  out.notes = std::move(decoded.notes);
  out.caller = caller;
  out.request_id = call.request_id();
  out.traceparent = call.traceparent();
  return out;
}

void answer_refusal(const ApiServices& services, Call& call, const Error& error) {
  call.note("error", error_code_name(error.code()));
  HttpResponse response = error_response(error);
  if (error.code() == ErrorCode::Busy) {
    response.with_header(
        "Retry-After", std::to_string(services.engine->retry_after_for(call.caller.name).count()));
  }
  call.answer(std::move(response));
}

void with_body(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
               std::function<void()> work) {
  if (call->request().body.size() <= kInlineBody) return work();
  if (!services->workers->run(std::move(work))) {
    answer_refusal(*services, *call, Error(ErrorCode::Busy, "too many large requests at once"));
  }
}

void run_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
             DecodedSubmission submission, JobAnswer answer, const JobRefusal& refused) {
  const bool wants_files = submission.request.collect_file_contents;
  auto watcher = std::make_shared<AnsweringWatcher>(services, call, std::move(answer), wants_files);
  auto id = services->engine->submit(make_submission(std::move(submission), call->caller, *call),
                                     watcher);
  if (!id && refused) return refused(id.error());
  if (!id) return answer_refusal(*services, *call, id.error());
  cancel_when_abandoned(services, call, *id);
}

void stream_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
                DecodedSubmission submission, EventFormat format) {
  auto watcher = std::make_shared<StreamingWatcher>(call, format);
  auto id = services->engine->submit(make_submission(std::move(submission), call->caller, *call),
                                     watcher);
  if (!id) return answer_refusal(*services, *call, id.error());
  call->start_stream(content_type_of(format));
  cancel_when_abandoned(services, call, *id);
  watcher->open(*id);
}

void start_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
               DecodedSubmission submission) {
  auto id = services->engine->submit(make_submission(std::move(submission), call->caller, *call),
                                     std::make_shared<SilentWatcher>());
  if (!id) return answer_refusal(*services, *call, id.error());
  call->note("execution_id", *id);
  const auto record = services->engine->find(*id);
  if (!record) return call->answer(record.error());
  HttpResponse response = json_response(202, encode_job(*record));
  response.with_header("Location", "/v1/executions/" + *id);
  call->answer(std::move(response));
}

}  // namespace cove
