#include "api/execution_routes.h"

#include <charconv>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "api/http_status.h"
#include "api/job_codec.h"
#include "api/run_job.h"
#include "api/streaming_watcher.h"
#include "base/strings.h"

namespace cove {

namespace {

using Services = std::shared_ptr<ApiServices>;
using CallPtr = std::shared_ptr<Call>;

constexpr std::size_t kMostListed = 500;
constexpr std::chrono::seconds kPatience{2};  // with an execution that was cancelled

HttpResponse answer_of(const JobRecord& record,
                       const std::function<json::object(const JobRecord&)>& encode) {
  if (record.error) return error_response(*record.error);
  return json_response(200, encode(record));
}

void execute(const Services& services, const CallPtr& call) {
  with_body(services, call, [services, call] {
    const RequestGuard guard(services->config, services->presets, call->caller.limits.policies);
    auto decoded = decode_sidecar_submission(call->request().body, guard);
    if (!decoded) return call->answer(decoded.error());
    run_job(services, call, std::move(*decoded), [](const JobRecord& record) {
      return answer_of(record, [](const JobRecord& done) {
        return done.result ? encode_sidecar_result(*done.result) : json::object();
      });
    });
  });
}

Result<bool> query_flag(const HttpRequest& request, const std::string& name, bool absent) {
  const auto asked = request.query_value(name);
  if (!asked) return absent;
  if (*asked == "false") return false;
  if (*asked == "true") return true;
  return Err(Error::invalid_field(name, "must be true or false, got " + quoted(*asked)));
}

void create_execution(const Services& services, const CallPtr& call) {
  const auto format = event_format_of(call->request());
  if (!format) return call->answer(format.error());
  const auto async = query_flag(call->request(), "async", false);
  if (!async) return call->answer(async.error());
  if (*async && call->request().query_value("stream")) {
    return call->answer(Error::invalid_field("async", "must not be given together with stream"));
  }
  with_body(services, call, [services, call, format = *format, async = *async] {
    const RequestGuard guard(services->config, services->presets, call->caller.limits.policies);
    auto decoded = decode_submission(call->request().body, guard);
    if (!decoded) return call->answer(decoded.error());
    if (async) return start_job(services, call, std::move(*decoded));
    if (format != EventFormat::None) {
      return stream_job(services, call, std::move(*decoded), format);
    }
    run_job(services, call, std::move(*decoded),
            [](const JobRecord& record) { return answer_of(record, encode_job); });
  });
}

// The job if the caller may see it: its own, or anybody's with the scope admin.
Result<JobRecord> find_own(const Services& services, const CallPtr& call) {
  const std::string& id = call->param("id");
  COVE_ASSIGN(JobRecord record, services->engine->find(id));
  if (record.caller != call->caller.name && !call->caller.may(Scope::Admin)) {
    return Err(Error(ErrorCode::NotFound, "there is no execution " + quoted(id)));
  }
  call->note("execution_id", record.id);
  return record;
}

Result<JobFilter> filter_of(const CallPtr& call) {
  const HttpRequest& request = call->request();
  JobFilter filter;
  if (!call->caller.may(Scope::Admin)) filter.caller = call->caller.name;
  for (const auto& [name, value] : request.query) {
    if (name == "limit") {
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), filter.limit);
      if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() ||
          filter.limit == 0 || filter.limit > kMostListed) {
        return Err(
            Error::invalid_field("limit", "must be a number from 1 to 500, got " + quoted(value)));
      }
    } else if (name == "before") {
      filter.before = value;
    } else if (name == "state") {
      filter.state = job_state_from_name(value);
      if (!filter.state) {
        return Err(Error::invalid_field(
            "state", "must be queued, running, done or failed, got " + quoted(value)));
      }
    } else {  // caller: the route knows no other
      if (!call->caller.may(Scope::Admin) && value != call->caller.name) {
        return Err(Error(ErrorCode::Forbidden, "other callers' executions need the scope admin"));
      }
      filter.caller = value;
    }
  }
  return filter;
}

void list_executions(const Services& services, const CallPtr& call) {
  auto filter = filter_of(call);
  if (!filter) return call->answer(filter.error());
  const std::size_t wanted = filter->limit++;  // one more tells whether there are others
  std::vector<JobRecord> records = services->engine->list(*filter);
  const bool more = records.size() > wanted;
  if (more) records.resize(wanted);
  json::array list;
  for (const JobRecord& record : records) list.push_back(encode_job_summary(record));
  json::object body{{"executions", std::move(list)}};
  if (more) body["next"] = records.back().id;  // to be given as ?before=
  call->answer_json(200, body);
}

void get_execution(const Services& services, const CallPtr& call) {
  const auto record = find_own(services, call);
  if (!record) return call->answer(record.error());
  call->answer_json(200, encode_job(*record));
}

bool is_over(JobState state) {
  return state == JobState::Done || state == JobState::Failed;
}

void cancel_execution(const Services& services, const CallPtr& call) {
  const auto record = find_own(services, call);
  if (!record) return call->answer(record.error());
  if (const auto done = services->engine->cancel(record->id); !done) {
    return call->answer(done.error());
  }
  // Its end takes some milliseconds: an answer that still says "running" would only raise
  // questions.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto now = services->engine->find(record->id);
  while (now && !is_over(now->state) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    now = services->engine->find(record->id);
  }
  if (!now) return call->answer(now.error());
  call->answer_json(200, encode_job(*now));
}

// The events of a job that somebody started: what there is so far, then, unless ?follow=false, the
// rest. A client that goes away leaves the job alone.
void follow_execution(const Services& services, const CallPtr& call) {
  const auto record = find_own(services, call);
  if (!record) return call->answer(record.error());
  auto format = event_format_of(call->request());
  if (!format) return call->answer(format.error());
  if (*format == EventFormat::None) *format = EventFormat::Sse;
  const auto follow = query_flag(call->request(), "follow", true);
  if (!follow) return call->answer(follow.error());
  auto watcher = std::make_shared<StreamingWatcher>(call, *format, *follow);
  call->start_stream(content_type_of(*format));
  watcher->open(record->id);
  if (const auto watching = services->engine->watch(record->id, watcher); !watching) {
    call->write(encode_event(*format, error_event(watching.error())), true);
    call->finish();
    return;
  }
  if (!*follow) watcher->close_here(record->state);
}

void get_file(const Services& services, const CallPtr& call) {
  const auto record = find_own(services, call);
  if (!record) return call->answer(record.error());
  auto file = services->engine->file(record->id, call->param("name"));
  if (!file) return call->answer(file.error());
  HttpResponse response;
  response.headers.emplace_back("Content-Type", file->mime_type.empty()
                                                    ? std::string("application/octet-stream")
                                                    : file->mime_type);
  // It is the guest's: a browser must save it, not show it.
  response.with_header("Content-Disposition", "attachment");
  response.with_header("Content-Security-Policy", "sandbox");
  response.body = std::move(file->content);
  call->answer(std::move(response));
}

// For handlers that read the disk.
RouteHandler on_worker(const Services& services, void (*handler)(const Services&, const CallPtr&)) {
  return [services, handler](const CallPtr& call) {
    if (!services->workers->run([services, handler, call] { handler(services, call); })) {
      answer_refusal(*services, *call, Error(ErrorCode::Busy, "too many requests at once"));
    }
  };
}

}  // namespace

void add_execution_routes(Router& router, const Services& services) {
  const auto direct = [&services](void (*handler)(const Services&, const CallPtr&)) {
    return [services, handler](const CallPtr& call) { handler(services, call); };
  };
  router.add({"POST", "/execute", RouteAccess::Execute, direct(execute)});
  router.add({"POST",
              "/v1/executions",
              RouteAccess::Execute,
              direct(create_execution),
              {"stream", "async"}});
  router.add({"GET",
              "/v1/executions",
              RouteAccess::Execute,
              on_worker(services, list_executions),
              {"limit", "before", "state", "caller"}});
  router.add(
      {"GET", "/v1/executions/{id}", RouteAccess::Execute, on_worker(services, get_execution)});
  router.add({"DELETE", "/v1/executions/{id}", RouteAccess::Execute,
              on_worker(services, cancel_execution)});
  router.add({"GET",
              "/v1/executions/{id}/events",
              RouteAccess::Execute,
              on_worker(services, follow_execution),
              {"stream", "follow"}});
  router.add({"GET", "/v1/executions/{id}/files/{name...}", RouteAccess::Execute,
              on_worker(services, get_file)});
}

}  // namespace cove
