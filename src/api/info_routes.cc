#include "api/info_routes.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "api/http_status.h"
#include "api/openapi.h"
#include "api/request_guard.h"
#include "api/run_job.h"
#include "base/strings.h"
#include "base/version.h"
#include "engine/submission_check.h"
#include "model/limit_bounds.h"
#include "model/names.h"
#include "model/policy_codec.h"
#include "runtime/version_probe.h"

namespace cove {

namespace {

using Services = std::shared_ptr<ApiServices>;
using CallPtr = std::shared_ptr<Call>;

// Asking an interpreter for its version starts it: once a path is enough.
class VersionCache {
 public:
  std::string version_of(const Runtime& runtime) {
    {
      const std::lock_guard lock(mutex_);
      const auto known = versions_.find(runtime.interpreter);
      if (known != versions_.end()) return known->second;
    }
    auto probed = probe_version(runtime);
    std::string text = probed ? *probed : std::string("unknown");
    const std::lock_guard lock(mutex_);
    return versions_[runtime.interpreter] = std::move(text);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> versions_;
};

// Names of the backends that a caller may name for this language. An image of an engine is not
// looked into: whether it has the interpreter shows when it is used.
json::array backends_for(const ApiServices& services, const LanguageListing& listing,
                         const CallerLimits& limits) {
  json::array names;
  for (const std::string& name : services.config.backends) {
    const bool allowed = limits.backends.empty() ||
                         std::ranges::find(limits.backends, name) != limits.backends.end();
    const auto other = services.backends.find(name);
    const bool offered = other == services.backends.end()
                             ? listing.runtime.has_value()
                             : other->second->supports_language(listing.profile.name);
    if (allowed && offered) names.emplace_back(sanitize_utf8(name));
  }
  return names;
}

json::array list_languages(const Services& services, VersionCache& versions,
                           const CallerLimits& limits) {
  json::array list;
  for (const LanguageListing& listing : services->catalog.list()) {
    json::object item{{"name", listing.profile.name},
                      {"aliases", json::value_from(listing.profile.aliases)},
                      {"usable", listing.runtime.has_value()},
                      {"backends", backends_for(*services, listing, limits)}};
    if (listing.runtime) {
      item["version"] = sanitize_utf8(versions.version_of(*listing.runtime));
    } else {
      item["reason"] = sanitize_utf8(listing.reason);
    }
    list.push_back(std::move(item));
  }
  return list;
}

json::object enforced_by(const BackendCapabilities& known) {
  return {{"network", known.network},         {"filesystem", known.filesystem},
          {"environment", known.environment}, {"timeout", known.timeout},
          {"memory", name_of(known.memory)},  {"processes", name_of(known.processes)},
          {"cpu", name_of(known.cpu)},        {"disk", name_of(known.disk)},
          {"descriptors", known.descriptors}, {"output_caps", known.output_caps}};
}

json::array notes_of(const BackendCapabilities& known) {
  json::array notes;
  for (const std::string& note : known.notes) notes.emplace_back(sanitize_utf8(note));
  return notes;
}

// One that a request may name.
json::object describe_backend(const std::string& name, const CodeExecutor& executor,
                              bool has_sessions) {
  const BackendCapabilities known = executor.capabilities();
  return {{"name", sanitize_utf8(name)},
          {"isolation", known.isolation},
          {"enforces", enforced_by(known)},
          {"per_request", known.per_request},
          {"interactive", known.interactive},
          {"sessions", has_sessions},
          {"warm", known.warm},
          {"notes", notes_of(known)}};
}

json::object capabilities(const Services& services) {
  const BackendCapabilities known = services->executor->capabilities();
  const ServerConfig& config = services->config;
  json::array backends;
  for (const std::string& name : config.backends) {
    const auto other = services->backends.find(name);
    const bool native = other == services->backends.end();
    backends.push_back(describe_backend(name, native ? *services->executor : *other->second,
                                        native && services->sessions != nullptr));
  }
  return {{"version", kVersion},
          {"backend", known.backend},
          {"isolation", known.isolation},
          {"enforces", enforced_by(known)},
          {"warm", known.warm},
          {"notes", notes_of(known)},
          {"backends", std::move(backends)},
          {"limits", json::object{{"default_timeout_ms", config.default_timeout.count()},
                                  {"max_timeout_ms", config.max_timeout.count()},
                                  {"max_compile_ms", config.max_compile.count()},
                                  {"max_concurrent_jobs", config.max_concurrent_jobs},
                                  {"max_queue", config.max_queue},
                                  {"max_body_bytes", config.max_body.value},
                                  {"max_memory_bytes", config.max_memory.value},
                                  {"max_cpus", config.max_cpus},
                                  {"max_processes", config.max_processes},
                                  {"max_disk_bytes", config.max_disk.value},
                                  {"max_output_bytes", config.max_output.value},
                                  {"max_sessions", config.max_sessions}}}};
}

// As runs of this caller get them: less what its key does not allow, and with the server's bounds.
void policies(const Services& services, const CallPtr& call) {
  const ServerConfig& config = services->config;
  const RequestGuard guard(config, services->presets, call->caller.limits.policies);
  json::array list;
  for (const std::string& name : guard.offered()) {
    auto policy = services->presets.find(name);
    if (!policy) continue;
    policy->limits = lower_with_defaults(policy->limits, config.most());
    policy->timeout = std::min(usual_timeout(*policy, config.default_timeout), config.max_timeout);
    list.push_back(encode_policy(*policy));
  }
  call->answer_json(200, json::object{{"default", guard.default_policy()},
                                      {"custom", guard.allows_custom()},
                                      {"policies", std::move(list)}});
}

void ready(const Services& services, const CallPtr& call) {
  if (services->stopping) return call->answer_json(503, json::object{{"status", "stopping"}});
  if (!services->engine->is_ready()) {
    return call->answer_json(503, json::object{{"status", "not ready"}});
  }
  call->answer_json(200, json::object{{"status", "ready"}});
}

}  // namespace

void add_info_routes(Router& router, const Services& services) {
  router.add({"GET", "/healthz", RouteAccess::Open,
              [](const CallPtr& call) { call->answer_json(200, json::object{{"status", "ok"}}); }});
  router.add({"GET", "/readyz", RouteAccess::Open,
              [services](const CallPtr& call) { ready(services, call); }});
  router.add({"GET", "/openapi.json", RouteAccess::Open, [](const CallPtr& call) {
                call->answer(
                    HttpResponse::text(200, std::string(openapi_document()), "application/json"));
              }});
  router.add({"GET", "/metrics", RouteAccess::AnyKey, [services](const CallPtr& call) {
                call->answer(HttpResponse::text(200, services->metrics->text(),
                                                "text/plain; version=0.0.4; charset=utf-8"));
              }});
  const auto versions = std::make_shared<VersionCache>();
  router.add(
      {"GET", "/v1/languages", RouteAccess::AnyKey, [services, versions](const CallPtr& call) {
         const bool taken = services->workers->run([services, versions, call] {
           call->answer_json(200, json::object{{"languages", list_languages(services, *versions,
                                                                            call->caller.limits)}});
         });
         if (!taken) {
           answer_refusal(*services, *call, Error(ErrorCode::Busy, "too many requests at once"));
         }
       }});
  router.add({"GET", "/v1/capabilities", RouteAccess::AnyKey,
              [services](const CallPtr& call) { call->answer_json(200, capabilities(services)); }});
  router.add({"GET", "/v1/policies", RouteAccess::AnyKey,
              [services](const CallPtr& call) { policies(services, call); }});
}

}  // namespace cove
